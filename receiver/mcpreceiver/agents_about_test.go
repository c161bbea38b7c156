package mcpreceiver

import (
	"maps"
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
)

// passed is the agent's own record that came out last.
func (s *setup) passed() plog.LogRecord {
	all := s.outLogs.AllLogs()
	return all[len(all)-1].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

// requireAbout fails unless the agent's last record names that span.
func (s *setup) requireAbout(t *testing.T, of ptrace.Span, what string) {
	t.Helper()
	require.Equal(t, of.SpanID(), s.passed().SpanID(), what)
	require.Equal(t, of.TraceID(), s.passed().TraceID(), what)
}

// Log records come behind hooks: what they are about has left by then. They name it.
func TestRecordsAboutWhatHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		sources := []string{mcpconv.SourceHooks, mcpconv.SourceLogs}
		use := event.ToolUse{ID: `"t1"`, Tool: `"Bash"`}
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		require.Len(t, s.spans()["tool.call"], 1)
		tell := func(what string) {
			ld := plog.NewLogs()
			record(ld, "agent", time.Now().UnixNano(), map[string]any{"session": "s", "what": what, "tool": "Bash", "id": "t1"})
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		}
		for _, what := range []string{"allowed", "tool", "denied"} {
			tell(what)
			s.requireAbout(t, s.spans()["tool.call"][0], what)
		}
		s.stop(t)
	})
}

// They name the agent's own span of it too, if that came first.
func TestRecordsAboutOwnSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		td, ld := ptrace.NewTraces(), plog.NewLogs()
		span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 5})
		record(ld, "agent", now+1, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 5, "cost": 0.5})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		require.Len(t, s.spans()["call.amended"], 1)
		s.requireAbout(t, s.spans()["native"][0], "and not what says that it was amended")
		s.stop(t)
	})
}

// What is no call names what was made of it, else the turn in which it happened.
func TestRecordsAboutOtherThings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), func(c *Config) { c.Agents.JoinWait = 0 }, newDecoder)
		s.start(t)
		seen := map[string]pcommon.SpanID{}
		tell := func(name string, more map[string]any) {
			time.Sleep(time.Second)
			ld := plog.NewLogs()
			attributes := map[string]any{"event.name": name, "session.id": "s", "prompt.id": "p1"}
			maps.Copy(attributes, more)
			record(ld, "com.anthropic.claude_code.events", time.Now().UnixNano(), attributes)
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			seen[name] = s.passed().SpanID()
		}
		tell("mcp_server_connection", map[string]any{"status": "connected", "server_name": "files"})
		tell("user_prompt", map[string]any{"prompt": "go"})
		tell("api_refusal", nil)
		tell("plugin_loaded", nil)
		tell("subagent_completed", map[string]any{"agent_type": "Explore", "agent_id": "a1", "duration_ms": 10})
		tell("compaction", map[string]any{"trigger": "auto", "pre_tokens": 10, "post_tokens": 5})
		s.stop(t)
		spans := s.spans()
		for name, of := range map[string]string{
			"mcp_server_connection": "mcp.server.connection", "user_prompt": "agent.turn", "api_refusal": "agent.turn",
			"plugin_loaded": "agent.turn", "subagent_completed": "agent.call", "compaction": "notifications/host.compacting",
		} {
			require.Len(t, spans[of], 1, of)
			assert.Equal(t, spans[of][0].SpanID(), seen[name], name)
		}
	})
}
