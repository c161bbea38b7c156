package mcpreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
)

// of lets the last record be of a tenant.
func of(ld plog.Logs, organization, user string) {
	rl := ld.ResourceLogs().At(ld.ResourceLogs().Len() - 1)
	if organization != "" {
		rl.Resource().Attributes().PutStr("organization.id", organization)
	}
	if user != "" {
		rl.ScopeLogs().At(0).LogRecords().At(0).Attributes().PutStr("user.id", user)
	}
}

// calls are the tool calls of the sessions that ended, by id.
func (s *setup) calls() map[string]int64 {
	found := map[string]int64{}
	for _, summary := range s.spans()["session.summary"] {
		all := summary.Attributes().AsRaw()
		found[all["session.id"].(string)] += all["mcp.summary.tool_calls"].(int64)
	}
	return found
}

// Two tenants whose agents choose the same id share no session, if that is configured.
// What tells them apart is of the resource or of the record, and slashes join nothing.
func TestTenants(t *testing.T) {
	for name, c := range map[string]struct {
		key  []string
		want map[string]int64
	}{
		"not told apart":  {nil, map[string]int64{"s": 3, "b/s": 1}},
		"by organization": {[]string{"organization.id"}, map[string]int64{"a/s": 2, "/s": 1, "a/b/s": 1}},
		"by both": {
			[]string{"organization.id", "user.id"}, map[string]int64{"a/u/s": 1, "a/v/s": 1, "//s": 1, "a//b/s": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = c.key })
				s.start(t)
				ld, now := plog.NewLogs(), time.Now().UnixNano()
				tool := func(session, id, organization, user string) {
					record(ld, "agent", now, map[string]any{"session": session, "what": "tool", "tool": "Bash", "id": id, "start": now})
					of(ld, organization, user)
				}
				tool("s", "t1", "a", "u")
				tool("s", "t2", "a", "v")
				tool("s", "t3", "", "")
				tool("b/s", "t4", "a", "")
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				s.stop(t)
				assert.Equal(t, c.want, s.calls())
			})
		})
	}
}

// A slash in a tenant's name is none in the key.
func TestTenantsWithSlashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"organization.id"} })
		s.start(t)
		ld, now := plog.NewLogs(), time.Now().UnixNano()
		for _, c := range [][2]string{{"a/b", "s"}, {"a", "b/s"}} {
			record(ld, "agent", now, map[string]any{"session": c[1], "what": "tool", "tool": "Bash", "id": "t", "start": now})
			of(ld, c[0], "")
		}
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.stop(t)
		assert.Equal(t, map[string]int64{"a%2Fb/s": 1, "a/b/s": 1}, s.calls())
	})
}

// Namespaces give sessions of the same id other traces.
func TestNamespaces(t *testing.T) {
	traces := map[string]bool{}
	for _, namespace := range []string{"", "one", "two"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSetup(t, settings(), func(cfg *Config) { cfg.Namespace = namespace })
			s.start(t)
			ld := plog.NewLogs()
			record(ld, "agent", 1, map[string]any{"session": "s", "what": "prompt"})
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			s.stop(t)
			traces[s.spans()["workflow.run"][0].TraceID().String()] = true
		})
	}
	assert.Len(t, traces, 3)
}

// A sub-agent with a session of its own is found in its tenant's session, and in no
// other's.
func TestSubAgentsOfTenants(t *testing.T) {
	for _, requests := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"organization.id"} }, newDecoder)
			s.start(t)
			now := time.Now().UnixNano()
			ld := plog.NewLogs()
			send := func() {
				for _, rl := range ld.ResourceLogs().All() {
					rl.Resource().Attributes().PutStr("organization.id", "a")
				}
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				ld = plog.NewLogs()
			}
			codexSpawns(ld, now)
			if requests == 2 {
				send()
			}
			codexWorks(ld, now+100)
			send()
			// a foreign tenant's session with the id of that sub-agent
			codexLog(ld, now+200, codexChild, "user_prompt", map[string]any{"prompt": "mine"})
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			s.stop(t)
			assert.Equal(t, map[string]int64{"a/" + codexParent: 3, "/" + codexChild: 0}, s.calls())
			require.Len(t, s.spans()["agent.call"], 1)
			found := false
			for _, call := range s.spans()["tool.call"] {
				if call.Attributes().AsRaw()["gen_ai.tool.call.id"] == "call_2" {
					found = true
					assert.Equal(t, s.spans()["agent.call"][0].SpanID(), call.ParentSpanID())
				}
			}
			assert.True(t, found)
		})
	}
}

// A span that names no session is of the one that others of its trace name.
func TestSessionOfTheTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		now := time.Now().UnixNano()
		td := ptrace.NewTraces()
		span(td, "github.copilot", 1, now, now+10, map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "call_1",
		})
		span(td, "github.copilot", 2, now, now+20, map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", "gen_ai.conversation.id": "c1",
		})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		assert.Equal(t, map[string]int64{"c1": 1}, s.calls())
	})
}

// Who shows the spans and records knows none of what tells tenants apart: each says whose
// its session is.
func TestWhatPassesNamesTheTenantsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"organization.id"} })
		s.start(t)
		now := time.Now().UnixNano()
		for _, tenant := range []string{"a", "b"} {
			ld, td := plog.NewLogs(), ptrace.NewTraces()
			for i, what := range []string{"prompt", "tool", "none"} {
				all := map[string]any{"session": "s", "what": what, "tool": "Bash", "id": "t1", "organization.id": tenant}
				record(ld, "agent", now, all)
				all["id"] = "t2"
				span(td, "agent", byte(i+1), now, now+10, all)
			}
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		}
		s.stop(t)
		passed := map[any]int{}
		count := func(all map[string]any) {
			if tenant, ok := all["organization.id"]; ok {
				passed[tenant]++
				assert.Equal(t, tenant.(string)+"/s", all["mcp.session.part_of"], "%v", all)
			}
		}
		for _, native := range s.spans()["native"] {
			count(native.Attributes().AsRaw())
		}
		for _, ld := range s.outLogs.AllLogs() {
			everyLog(ld, func(_ *otlp.Origin, r plog.LogRecord) bool { count(r.Attributes().AsRaw()); return true })
		}
		assert.Equal(t, map[any]int{"a": 6, "b": 6}, passed)
	})
}

// Of the spans of a trace those that name no session are of the one that others of their
// tenant name, and of no other tenant's.
func TestSessionOfTheTraceOfATenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"organization.id", "user.id"} }, newDecoder)
		s.start(t)
		now := time.Now().UnixNano()
		td := ptrace.NewTraces()
		add := func(id byte, organization string, all map[string]any) {
			all["gen_ai.operation.name"], all["gen_ai.tool.name"], all["gen_ai.tool.call.id"] = "execute_tool", "bash", string('a'+rune(id))
			span(td, "github.copilot", id, now, now+10, all)
			td.ResourceSpans().At(td.ResourceSpans().Len()-1).Resource().Attributes().PutStr("organization.id", organization)
		}
		add(1, "a", map[string]any{})
		add(2, "b", map[string]any{})
		add(3, "a", map[string]any{"gen_ai.conversation.id": "s", "user.id": "u"})
		add(4, "a", map[string]any{"user.id": "v"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		assert.Equal(t, map[string]int64{"a/u/s": 2}, s.calls())
		for _, native := range s.spans()["native"] {
			want := any("a/u/s")
			if id := native.SpanID()[0]; id == 2 || id == 4 {
				want = nil
			}
			assert.Equal(t, want, native.Attributes().AsRaw()["mcp.session.part_of"], "%v", native.SpanID())
		}
	})
}
