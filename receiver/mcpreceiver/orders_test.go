package mcpreceiver

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// One tool call that five reports describe is one fact, and one call in the row, in every
// order in which they arrive.
func TestOrders(t *testing.T) {
	for _, id := range []event.JSON{`"call_1"`, ""} {
		got, facts := map[string]int{}, map[string]int{}
		for _, order := range permutations([]string{"hook start", "hook end", "log decision", "log result", "span"}) {
			synctest.Test(t, func(t *testing.T) {
				row, set := oneCall(t, id, order)
				got[row]++
				facts[set]++
			})
		}
		require.Equal(t, map[string]int{"1": 120}, facts, "id %s", id)
		assert.Equal(t, map[string]int{"1": 120}, got, "id %s", id)
	}
}

// oneCall returns the tool calls in the row and in the facts of a session with one call,
// whose reports arrive in that order when it is over.
func oneCall(t *testing.T, id event.JSON, order []string) (row, facts string) {
	s, to := newShadow(), newSetup(t, settings(), nil)
	to.start(t)
	start := time.Now().UnixNano()
	const ms = int64(time.Millisecond)
	use := event.ToolUse{ID: id, Tool: `"Bash"`}
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
		s.apply(t, to, event.Envelope{Time: start + reports[what].at*ms, Session: "s", Client: "test-agent"}, reports[what].e)
		time.Sleep(100 * time.Millisecond)
	}
	to.stop(t)
	return ofRow(rowsOf(to)["s"])[0], ofFacts(s.sets()["s"].Totals())[0]
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
