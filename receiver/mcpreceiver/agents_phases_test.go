package mcpreceiver

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// phases returns those of the session, in order.
func (s *setup) phases() (names []any) {
	for _, span := range s.spans()["host.phase"] {
		names = append(names, span.Attributes().AsRaw()["mcp.host.phase"])
	}
	return names
}

// How a turn ended that only log records and spans tell of: an error of the API that was
// final stays, until the next prompt.
func TestPhaseAfterAnErrorOfTheAPI(t *testing.T) {
	type told struct {
		name string
		more map[string]any
	}
	claude := func(name, purpose string) told {
		return told{name, map[string]any{"session.id": codexParent, "model": "claude-test", "duration_ms": "10", "query_source": purpose, "prompt": "go"}}
	}
	const main = "repl_main_thread"
	prompt, failed := told{"user_prompt", map[string]any{"prompt": "go"}}, told{"api_request", map[string]any{
		"duration_ms": "10", "http.response.status_code": "500", "error.message": "http 500", "endpoint": "/responses",
	}}
	answered := told{"sse_event", map[string]any{"event.kind": "response.completed", "input_token_count": "5", "output_token_count": "1"}}
	for name, c := range map[string]struct {
		scope, turn string
		told        []told
		want        []any
	}{
		"Claude Code, the last attempt failed": {
			"com.anthropic.claude_code.x", "claude_code.interaction",
			[]told{claude("user_prompt", ""), claude("api_request", main), claude("api_error", main)},
			[]any{"working", "error"},
		},
		"Claude Code, only a title failed": {
			"com.anthropic.claude_code.x", "claude_code.interaction",
			[]told{claude("user_prompt", ""), claude("api_request", main), claude("api_error", "generate_session_title")},
			[]any{"working", "idle"},
		},
		"Codex, which does not say that an attempt was the last": {"codex_otel", "session_task.turn", []told{prompt, failed, failed}, []any{"working", "idle"}},
		"Codex, a later attempt did not fail":                    {"codex_otel", "session_task.turn", []told{prompt, failed, answered}, []any{"working", "idle"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), nil, newDecoder)
				s.start(t)
				began := time.Now().UnixNano()
				for _, what := range c.told {
					time.Sleep(5 * time.Second)
					ld := plog.NewLogs()
					if c.scope == "codex_otel" {
						codexLog(ld, time.Now().UnixNano(), codexParent, what.name, what.more)
					} else {
						attributes := map[string]any{"event.name": what.name}
						maps.Copy(attributes, what.more)
						record(ld, c.scope, time.Now().UnixNano(), attributes)
					}
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				}
				time.Sleep(time.Second)
				td := ptrace.NewTraces()
				span(td, c.scope, 1, began+5e9, time.Now().UnixNano(), map[string]any{"session.id": codexParent, "thread.id": codexParent})
				td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName(c.turn)
				require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
				time.Sleep(time.Minute)
				s.stop(t)
				assert.Equal(t, c.want, s.phases())
			})
		})
	}
}

// Some agents run no hook if a person interrupts a turn: their own span of it says that
// they rest, so that their silence is no alarm. That of an earlier turn says nothing of
// the one that goes on.
func TestATurnThatNoHookEnds(t *testing.T) {
	for name, c := range map[string]struct {
		goesOn bool
		want   []any
		alarms int
	}{
		"interrupted": {false, []any{"working", "idle"}, 0},
		"goes on":     {true, []any{"working", "idle", "working"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t, settings(), nil)
				s.start(t)
				sources := []string{mcpconv.SourceHooks, mcpconv.SourceSpans}
				prompt := func() {
					s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
				}
				prompt()
				began := time.Now().UnixNano()
				time.Sleep(5 * time.Second)
				ended := time.Now().UnixNano()
				if c.goesOn {
					s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} })
					time.Sleep(3 * time.Second)
					prompt()
				}
				td := ptrace.NewTraces()
				span(td, "agent", 1, began, ended, map[string]any{"session": "s", "what": "turn"})
				require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
				time.Sleep(15 * time.Minute)
				synctest.Wait()
				assert.Len(t, s.spans()["mcp.host.stalled"], c.alarms)
				s.stop(t)
				assert.Equal(t, c.want, s.phases())
			})
		})
	}
}

// A question that comes before the hook that announced its call is still open, and the row
// shows what is asked.
func TestAQuestionThatOvertakesItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}`)
		time.Sleep(time.Second)
		at := time.Now().UnixNano()
		const use = `"tool_name":"Bash","tool_input":{"command":"git push"}`
		post := func(after time.Duration, body string) {
			f.post(t, 0, step{Post: fmt.Sprintf("/v1/hooks/claude-code?otel=logs,traces&time=%d", at+int64(after)), Body: body})
		}
		post(20*time.Millisecond, `{"session_id":"s","hook_event_name":"PermissionRequest",`+use+`}`)
		require.Equal(t, "git push", f.row()["mcp.wait.detail"])
		post(0, `{"session_id":"s","hook_event_name":"PreToolUse",`+use+`,"tool_use_id":"t1"}`)
		time.Sleep(2 * store.RowInterval)
		row := f.row()
		require.Equal(t, "waiting", row["mcp.session.state.name"])
		require.Equal(t, "Bash", row["mcp.wait.tool"])
		require.Equal(t, "git push", row["mcp.wait.detail"])
		post(time.Minute, `{"session_id":"s","hook_event_name":"PostToolUse",`+use+`,"tool_response":{},"tool_use_id":"t1"}`)
		time.Sleep(2 * store.RowInterval)
		require.Equal(t, "working", f.row()["mcp.host.phase"])
	})
}

// What a log record or a span says of the answer ends the wait before the tool returns; what
// they say of another call does not.
func TestAnAnswerEndsTheWaitFromEverySource(t *testing.T) {
	decision := func(tool, verdict string) func(*testing.T, *fixture) {
		return func(t *testing.T, f *fixture) {
			ld := plog.NewLogs()
			record(ld, "com.anthropic.claude_code.events", time.Now().UnixNano(), map[string]any{
				"event.name": "tool_decision", "session.id": "s", "decision": verdict, "source": "user_temporary", "tool_name": "Bash", "tool_use_id": tool,
			})
			require.NoError(t, f.receiver.otlp.ConsumeLogs(t.Context(), ld))
		}
	}
	blocked := func(t *testing.T, f *fixture) {
		td, now := ptrace.NewTraces(), time.Now()
		span(td, "com.anthropic.claude_code.tracing", 3, now.Add(-time.Second).UnixNano(), now.UnixNano(), map[string]any{
			"session.id": "s", "source": "user_temporary", "decision": "accept",
		})
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName("claude_code.tool.blocked_on_user")
		require.NoError(t, f.receiver.otlp.ConsumeTraces(t.Context(), td))
	}
	for name, c := range map[string]struct {
		answer func(*testing.T, *fixture)
		phase  string
	}{
		"a log record says yes":          {decision("t1", "accept"), "working"},
		"a log record says no":           {decision("t1", "reject"), "working"},
		"a span says yes":                {blocked, "working"},
		"a log record of another call":   {decision("t2", "accept"), "waiting_approval"},
		"another call that was rejected": {decision("t2", "reject"), "waiting_approval"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := rowFixture(t)
				const use = `"tool_name":"Bash","tool_input":{"command":"git push"}`
				f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}
{"session_id":"s","hook_event_name":"PreToolUse",`+use+`,"tool_use_id":"t1"}
{"session_id":"s","hook_event_name":"PermissionRequest",`+use+`}`)
				time.Sleep(5 * time.Second)
				require.Equal(t, "waiting_approval", f.row()["mcp.host.phase"])
				c.answer(t, f)
				time.Sleep(2 * store.RowInterval)
				require.Equal(t, c.phase, f.row()["mcp.host.phase"])
			})
		})
	}
}
