package mcpreceiver

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// One tool call that five reports describe is one fact, one call in the row and in the
// summary, one span and one observation, in every order in which they arrive.
func TestOrders(t *testing.T) {
	for _, id := range []event.JSON{`"call_1"`, ""} {
		for name, use := range map[string]event.ToolUse{"MCP": {ID: id, Tool: `"echo"`, Name: "mcp__srv__echo", Server: "srv"}, "own": {ID: id, Tool: `"Bash"`}} {
			want, got := seenAs{facts: "1", row: "1", summary: 1, spans: 1, runs: 1}, map[seenAs]int{}
			if use.Server != "" {
				want.operations = 1
			}
			for _, order := range permutations([]string{"hook start", "hook end", "log decision", "log result", "span"}) {
				synctest.Test(t, func(t *testing.T) { got[oneCall(t, use, order)]++ })
			}
			assert.Equal(t, map[seenAs]int{want: 120}, got, "%s id %s", name, id)
		}
	}
}

// seenAs has the counts of one call.
type seenAs struct {
	facts, row                       string
	summary, spans, runs, operations int64 // in the histograms of tools and of MCP
}

// oneCall returns what is made of one call whose reports arrive in that order when it is over.
func oneCall(t *testing.T, use event.ToolUse, order []string) seenAs {
	s, to := newShadow(), newSetup(t, settings(), nil)
	to.start(t)
	start := time.Now().UnixNano()
	const ms = int64(time.Millisecond)
	withInput, allowed, ended := use, use, use
	withInput.Input, allowed.Decision, ended.Start = `{"command":"ls"}`, "accept", start
	by := func(source event.Source) event.SelfReport {
		return event.SelfReport{Notice: event.Notice{Source: source}}
	}
	native := by(event.AgentSpan)
	native.Native = event.Native{Trace: identity.TraceID{7}, Span: identity.SpanID{7}, Start: start, End: start + 1000*ms}
	reports := map[string]struct {
		at int64
		e  event.Event
	}{
		"hook start":   {0, &event.ToolStarted{SelfReport: by(event.Hook), Use: withInput}},
		"hook end":     {1000, &event.ToolEnded{SelfReport: by(event.Hook), Use: withInput}},
		"log decision": {50, &event.ToolStarted{SelfReport: by(event.AgentLog), Use: allowed}},
		"log result":   {1000, &event.ToolEnded{SelfReport: by(event.AgentLog), Use: ended}},
		"span":         {1000, &event.ToolEnded{SelfReport: native, Use: ended}},
	}
	s.apply(t, to, event.Envelope{Time: start, Session: "s", Client: "test-agent"}, &event.PromptSubmitted{SelfReport: by(event.Hook), Prompt: `"go"`})
	time.Sleep(1100 * time.Millisecond)
	for _, what := range order {
		env := event.Envelope{Time: start + reports[what].at*ms, Session: "s", Client: "test-agent"}
		if what == "span" {
			env.Direction = event.FromClient
			s.event(&env, identity.TraceID{}, reports[what].e)
			td, tool := ptrace.NewTraces(), map[string]any{"session": "s", "what": "tool", "id": use.ID.Str(), "tool": use.Tool.Str(), "name": use.Name, "server": use.Server}
			span(td, "agent", 7, start, native.Native.End, tool)
			require.NoError(t, to.traces.ConsumeTraces(t.Context(), td))
		} else {
			s.apply(t, to, env, reports[what].e)
		}
		time.Sleep(100 * time.Millisecond)
	}
	to.stop(t)
	spans, metrics := to.spans(), lastMetrics(to.metrics)
	seen := seenAs{facts: ofFacts(s.sets()["s"].Totals())[0], row: ofRow(rowsOf(to)["s"])[0]}
	summary, _ := spans["session.summary"][0].Attributes().Get(mcpconv.SummaryTools)
	seen.summary = summary.Int()
	for _, span := range slices.Concat(spans["tool.call"], spans["native"]) {
		if _, repeats := span.Attributes().Get(mcpconv.DuplicateOf); !repeats {
			seen.spans++
		}
	}
	observed := func(name string) (n int64) {
		if m, ok := metrics[name]; ok {
			for _, p := range m.Histogram().DataPoints().All() {
				n += int64(p.Count())
			}
		}
		return n
	}
	seen.runs, seen.operations = observed(mcpconv.MetricExecuteTool), observed(mcpconv.MetricDuration)
	return seen
}

// The facts of a session and its row do not depend on which of its sources comes first.
func TestOrdersOfSources(t *testing.T) {
	for name, c := range joinedCases {
		facts := map[string]bool{}
		for _, order := range permutations([]string{"hooks", "logs", "spans"}) {
			synctest.Test(t, func(t *testing.T) {
				s, all := c.shadow(t, order)
				assert.Empty(t, s.differences("", all), "%s: %v", name, order)
				for id, set := range s.sets() {
					facts[fmt.Sprint(id, ofFacts(set.Totals()))] = true
				}
			})
		}
		require.Len(t, facts, 1, name)
	}
}
