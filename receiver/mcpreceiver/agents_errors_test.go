package mcpreceiver

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// One failure is one error of a session, however much tells of it: the call of the model,
// the turn that ends by it, and the phase in which its agent is then.
func TestAFailureIsOneError(t *testing.T) {
	for name, c := range map[string]struct {
		sources []string // in the order in which they tell of it
		errors  int64
	}{
		"log": {[]string{"log"}, 1}, "hook": {[]string{"hook"}, 1}, "log, hook": {[]string{"log", "hook"}, 1}, "hook, log": {[]string{"hook", "log"}, 1},
		"two turns": {[]string{"hook", "prompt", "hook"}, 2}, "two calls": {[]string{"log", "log"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), nil, newDecoder)
				s.start(t)
				hook := func(build func(event.SelfReport) event.Event) {
					require.NoError(t, s.c.runner.Run(t.Context(), "hooks", func(tx *session.Tx, now int64) error {
						env := event.Envelope{Arrival: now, Time: now, Session: "s-1", Client: mcpconv.ClaudeCode, Direction: event.FromClient}
						return tx.Apply(t.Context(), &env, build(event.SelfReport{
							Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
							Facts:  &event.Facts{Sources: []string{mcpconv.SourceHooks, mcpconv.SourceLogs}},
						}))
					}))
				}
				tell := func(name string, more map[string]any) {
					ld := plog.NewLogs()
					attributes := map[string]any{"event.name": name, "session.id": "s-1", "event.timestamp": time.Now().UTC().Format(time.RFC3339Nano)}
					maps.Copy(attributes, more)
					record(ld, "com.anthropic.claude_code.events", time.Now().UnixNano(), attributes)
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				}
				prompt := func() {
					if c.sources[0] == "log" && len(c.sources) == 1 || name == "two calls" {
						tell("user_prompt", map[string]any{"prompt": "go"})
						return
					}
					hook(func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
				}
				prompt()
				for _, source := range c.sources {
					time.Sleep(time.Second)
					switch source {
					case "prompt":
						prompt()
					case "log":
						tell("api_error", map[string]any{
							"model": "claude-sonnet-4-5", "error": "overloaded", "status_code": "529", "duration_ms": "10", "attempt": "1",
							"query_source": "repl_main_thread",
						})
					case "hook":
						hook(func(a event.SelfReport) event.Event {
							return &event.TurnEnded{SelfReport: a, Failed: true, Type: "overloaded_error", Text: "overloaded"}
						})
					}
				}
				s.stop(t)
				assert.EqualValues(t, c.errors, s.spans()["session.summary"][0].Attributes().AsRaw()["mcp.summary.errors"])
			})
		})
	}
}

// A turn fails because its sub-agent did, and that because of a call in it: one error, in all
// orders of their spans and all batches. A call whose failure its agent survived is another.
func TestAFailureInANativeSubAgentIsOneError(t *testing.T) {
	type made struct {
		id, parent byte
		end        time.Duration
		operation  string
		text       string // "" if it did not fail, "-" without a word
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		spans  []made
		errors int64
	}{
		"tool":              {[]made{{1, 0, 300 * ms, "invoke_agent", "no such file"}, {2, 1, 200 * ms, "invoke_agent", "no such file"}, {3, 2, 100 * ms, "execute_tool", "no such file"}}, 1},
		"without a text":    {[]made{{1, 0, 300 * ms, "invoke_agent", "-"}, {2, 1, 200 * ms, "invoke_agent", "-"}, {3, 2, 100 * ms, "execute_tool", "no such file"}}, 1},
		"model":             {[]made{{1, 0, 300 * ms, "invoke_agent", "gave up"}, {2, 1, 200 * ms, "invoke_agent", "-"}, {3, 2, 100 * ms, "chat", "overloaded"}}, 1},
		"two levels":        {[]made{{1, 0, 400 * ms, "invoke_agent", "-"}, {2, 1, 300 * ms, "invoke_agent", "-"}, {3, 2, 200 * ms, "invoke_agent", "-"}, {4, 3, 100 * ms, "execute_tool", "no"}}, 1},
		"the turn survives": {[]made{{1, 0, 300 * ms, "invoke_agent", ""}, {2, 1, 200 * ms, "invoke_agent", "-"}, {3, 2, 100 * ms, "execute_tool", "no such file"}}, 1},
		"survived before":   {[]made{{1, 0, 9 * time.Second, "invoke_agent", "overloaded"}, {2, 1, 8 * time.Second, "invoke_agent", "-"}, {3, 2, 100 * ms, "execute_tool", "no"}, {4, 2, 8 * time.Second, "chat", "overloaded"}}, 2},
		"side by side":      {[]made{{1, 0, 300 * ms, "invoke_agent", "no"}, {2, 1, 200 * ms, "invoke_agent", "-"}, {3, 2, 100 * ms, "execute_tool", "no"}, {4, 1, 200 * ms, "invoke_agent", ""}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			texts := make([]string, len(c.spans))
			for i := range c.spans {
				texts[i] = strconv.Itoa(i)
			}
			for _, order := range permutations(texts) {
				for cuts := range 1 << (len(order) - 1) {
					synctest.Test(t, func(t *testing.T) {
						s := newSetupOf(t, settings(), nil, newDecoder)
						s.start(t)
						began, td := time.Now().UnixNano(), ptrace.NewTraces()
						time.Sleep(10 * time.Second)
						for i, which := range order {
							at, err := strconv.Atoi(which)
							require.NoError(t, err)
							one := c.spans[at]
							span(td, "an agent", one.id, began, began+int64(one.end), map[string]any{
								mcpconv.GenAIOperation: one.operation, mcpconv.GenAIConversation: "c", mcpconv.GenAIToolName: "read", mcpconv.GenAIAgentName: "helper",
							})
							made := td.ResourceSpans().At(td.ResourceSpans().Len() - 1).ScopeSpans().At(0).Spans().At(0)
							if one.parent != 0 {
								made.SetParentSpanID(pcommon.SpanID{one.parent})
							}
							if one.text != "" {
								made.Status().SetCode(ptrace.StatusCodeError)
								made.Status().SetMessage(strings.TrimPrefix(one.text, "-"))
							}
							if i == len(order)-1 || cuts&(1<<i) != 0 {
								require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
								td = ptrace.NewTraces()
							}
						}
						s.stop(t)
						summaries := s.spans()["session.summary"]
						require.Len(t, summaries, 1)
						require.EqualValues(t, c.errors, summaries[0].Attributes().AsRaw()["mcp.summary.errors"], "%v %b", order, cuts)
					})
				}
			}
		})
	}
}
