package mcpreceiver

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

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
