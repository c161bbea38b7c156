package store_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A turn or a sub-agent that is over ends the calls in it whose end nobody reported. That is
// no report of theirs: the agent's own spans of them may come behind.
func TestSpansOfCallsThatTheirTurnEnded(t *testing.T) {
	for name, ended := range map[string]func(a event.SelfReport) event.Event{
		"turn": func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} },
		"sub-agent": func(a event.SelfReport) event.Event {
			return &event.AgentEnded{SelfReport: a, Agent: event.SubAgent{ID: `"g"`}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &layered{T: t, engine: session.New(testOptions()), now: 1000 * second}
			use := event.ToolUse{Tool: `"Bash"`, Input: `{"command":"ls"}`}
			if name == "sub-agent" {
				use.SubAgent = `"g"`
			}
			hook := event.SelfReport{Notice: event.Notice{Source: event.Hook}}
			span := func(n byte, start int64) event.SelfReport {
				a := event.SelfReport{Notice: event.Notice{Source: event.AgentSpan}}
				a.Native = event.Native{Trace: identity.TraceID{7}, Span: identity.SpanID{n}, Start: start, End: l.now}
				return a
			}
			start := l.now
			l.apply(&event.PromptSubmitted{SelfReport: hook, Prompt: `"go"`})
			if name == "sub-agent" {
				l.apply(&event.AgentStarted{SelfReport: hook, Agent: event.SubAgent{ID: `"g"`}})
			}
			l.now += second
			l.apply(&event.ToolStarted{SelfReport: hook, Use: use})
			l.now += 10 * second
			l.apply(ended(span(1, start)))
			l.now++
			l.apply(&event.ToolEnded{SelfReport: span(2, start+second), Use: use})
			l.step("later")
			assert.EqualValues(t, 1, l.summary().ToolCalls)
			assert.True(t, slices.ContainsFunc(tableOf(l.engine).Session("s").Agent.Done, func(f store.Fact) bool {
				return f.Span == identity.SpanID{2}
			}))
		})
	}
}
