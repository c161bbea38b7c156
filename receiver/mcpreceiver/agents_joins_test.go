package mcpreceiver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// hooked lets the session take an event of a hook.
func (s *setup) hooked(t *testing.T, e event.Event) {
	t.Helper()
	s.hookedAt(t, time.Now().UnixNano(), e)
}

// hookedAt lets the session take an event of a hook that ran at that time.
func (s *setup) hookedAt(t *testing.T, at int64, e event.Event) {
	t.Helper()
	e.(interface{ Base() *event.Notice }).Base().Source = event.Hook
	require.NoError(t, s.c.runner.Run(context.Background(), "hooks", func(tx *session.Tx, now int64) error {
		env := event.Envelope{Arrival: now, Time: at, Session: "s-1", Client: "test-agent", Direction: event.FromClient}
		return tx.Apply(context.Background(), &env, e)
	}))
}

// A log record that allows a call may come before the hook that reports its start: it
// is one call, with the input that the hook knows.
func TestHookBehindItsLogRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		use := event.ToolUse{ID: `"call_1"`, Tool: `"Bash"`, Input: `{"command":"ls"}`}
		s.hooked(t, &event.PromptSubmitted{Prompt: `"go"`})
		ld := plog.NewLogs()
		record(ld, "agent", time.Now().UnixNano(), map[string]any{
			"what": "allowed", "session": "s-1", "tool": "Bash", "id": "call_1", "decision": "accept",
		})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.hooked(t, &event.ToolStarted{Use: use})
		time.Sleep(time.Second)
		s.hooked(t, &event.ToolEnded{Use: use})
		s.stop(t)
		calls := s.spans()["tool.call"]
		require.Len(t, calls, 1)
		all := calls[0].Attributes().AsRaw()
		assert.Equal(t, "accept", all["mcp.tool.decision"])
		assert.Equal(t, `{"command":"ls"}`, all["mcp.tool.input_json"])
		assert.NotContains(t, all, "mcp.span.incomplete")
	})
}

// An agent's spans may hide the names of a server and its tool behind their hashes. The call
// is that of the hooks, whose name is told, however late one of both comes.
func TestCallWhoseNameIsHashed(t *testing.T) {
	hash := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	hidden := hash("local") + "/" + hash("add_all")
	for _, id := range []string{"", `"call_1"`} {
		for _, spanFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("id %q, span first %t", id, spanFirst), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSetup(t, settings(), nil)
					s.start(t)
					s.hooked(t, &event.PromptSubmitted{Prompt: `"go"`})
					began := time.Now().UnixNano()
					span := func() {
						td := ptrace.NewTraces()
						span(td, "agent", 1, began-10e6, began+100e6, map[string]any{"what": "tool", "session": "s-1", "tool": hidden, "id": "call_1"})
						require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
					}
					hooks := func() {
						use := event.ToolUse{ID: event.JSON(id), Tool: `"local-add_all"`, Input: `{"a":1}`}
						s.hookedAt(t, began, &event.ToolStarted{Use: use})
						s.hookedAt(t, began+90e6, &event.ToolEnded{Use: use})
					}
					first, second := hooks, span
					if spanFirst {
						first, second = span, hooks
					}
					first()
					time.Sleep(time.Minute)
					second()
					s.stop(t)
					spans := s.spans()
					assert.EqualValues(t, 1, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.tool_calls"])
					if !spanFirst {
						require.Len(t, spans["tool.call"], 1)
						native := spans["native"][0].Attributes().AsRaw()
						assert.Equal(t, spans["tool.call"][0].SpanID().String(), native["mcp.duplicate_of"])
						assert.Equal(t, "local-add_all", native["mcp.tool.name"])
					} else {
						assert.Empty(t, spans["tool.call"])
					}
				})
			})
		}
	}
}

// Tokens that are known once the span of the call has left are a notice, and count.
func TestAmendedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		td := ptrace.NewTraces()
		span(td, "agent", 1, now, now+10, map[string]any{"what": "model", "session": "s-1", "id": "req_1"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		ld := plog.NewLogs()
		record(ld, "agent", now+10, map[string]any{
			"what": "model", "session": "s-1", "id": "req_1", "in": int64(30), "out": int64(3), "start": now,
		})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld)) // sent again
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["native"], 1)
		require.Len(t, spans["call.amended"], 1)
		all := spans["call.amended"][0].Attributes().AsRaw()
		assert.Equal(t, spans["native"][0].SpanID().String(), all["mcp.amended.span_id"])
		assert.EqualValues(t, 30, all["gen_ai.usage.input_tokens"])
		assert.EqualValues(t, 30, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.input_tokens"])
		assert.Empty(t, spans["llm.generate"])
	})
}
