package mcpreceiver

import (
	"context"
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
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// The conversations of Codex in these tests.
const (
	codexParent = "01a202b9-0000-7000-8000-000000009adb"
	codexChild  = "01a202b9-0000-7000-8000-000000007fe4"
)

// codexLog is an event of Codex in a conversation.
func codexLog(ld plog.Logs, at int64, conversation, name string, more map[string]any) {
	attributes := map[string]any{
		"event.name": "codex." + name, "conversation.id": conversation,
		"event.timestamp": time.Unix(0, at).UTC().Format(time.RFC3339Nano), "model": "gpt-test",
	}
	maps.Copy(attributes, more)
	record(ld, "codex_otel.log_only", at, attributes)
	ld.ResourceLogs().At(ld.ResourceLogs().Len()-1).Resource().Attributes().PutStr("service.name", "codex_exec")
}

// codexSpawns are the records of a prompt on which Codex starts a sub-agent, whose
// own conversation begins before that is told.
func codexSpawns(ld plog.Logs, at int64) {
	codexLog(ld, at, codexParent, "conversation_starts", nil)
	codexLog(ld, at+1, codexParent, "user_prompt", map[string]any{"prompt": "go"})
	codexLog(ld, at+2, codexChild, "conversation_starts", nil)
	codexLog(ld, at+3, codexParent, "tool_result", map[string]any{
		"tool_name": "spawn_agent", "call_id": "call_1", "duration_ms": "0", "success": "true",
		"arguments": `{"message":"look"}`, "output": `{"agent_id":"` + codexChild + `","nickname":"Euler"}`,
	})
}

// codexWorks are the records of what the sub-agent does.
func codexWorks(ld plog.Logs, at int64) {
	codexLog(ld, at, codexChild, "user_prompt", map[string]any{"prompt": "look"})
	codexLog(ld, at+1, codexChild, "sse_event", map[string]any{
		"event.kind": "response.completed", "input_token_count": "30", "output_token_count": "3",
	})
	codexLog(ld, at+2, codexChild, "tool_result", map[string]any{
		"tool_name": "exec_command", "call_id": "call_2", "duration_ms": "0", "success": "true", "arguments": "{}", "output": "ok",
	})
	codexLog(ld, at+3, codexParent, "tool_result", map[string]any{
		"tool_name": "wait_agent", "call_id": "call_3", "duration_ms": "0", "success": "true",
		"output": `{"status":{"` + codexChild + `":{"completed":"seen"}}}`,
	})
}

// What a sub-agent reports as a session of its own is done in its parent's.
func TestSubAgentWithASessionOfItsOwn(t *testing.T) {
	for _, requests := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := newSetupOf(t, settings(), nil, newDecoder)
			s.start(t)
			now := time.Now().UnixNano()
			ld := plog.NewLogs()
			codexSpawns(ld, now)
			if requests == 2 {
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				ld = plog.NewLogs()
			}
			codexWorks(ld, now+100)
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			s.stop(t)
			spans := s.spans()
			require.Len(t, spans["workflow.run"], 1, "one session")
			all := spans["workflow.run"][0].Attributes().AsRaw()
			assert.Equal(t, codexParent, all["gen_ai.conversation.id"])
			assert.EqualValues(t, 30, all["mcp.summary.input_tokens"])
			assert.EqualValues(t, 1, all["mcp.summary.turns"])
			summary := spans["session.summary"][0].Attributes().AsRaw()
			assert.EqualValues(t, 3, summary["mcp.summary.tool_calls"])
			assert.EqualValues(t, 1, summary["mcp.summary.llm_calls"])
			assert.EqualValues(t, 1, summary["mcp.summary.agents"])
			require.Len(t, spans["agent.call"], 1)
			agent := spans["agent.call"][0]
			require.Len(t, spans["tool.call"], 3)
			for _, call := range spans["tool.call"] {
				if call.Attributes().AsRaw()["gen_ai.tool.call.id"] == "call_2" {
					assert.Equal(t, agent.SpanID(), call.ParentSpanID())
				}
			}
		})
	}
}

// Hooks report the call of a sub-agent in the parent's session, the agent's own span
// in a session of its own: it is one call.
func TestSubAgentsCallOfHooksAndSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		hook := func(build func(event.SelfReport) event.Event) {
			require.NoError(t, s.c.runner.Run(context.Background(), "hooks", func(tx *session.Tx, now int64) error {
				a := event.SelfReport{
					Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
					Facts:  &event.Facts{Sources: []string{mcpconv.SourceHooks, mcpconv.SourceSpans}},
				}
				env := event.Envelope{Arrival: now, Time: now, Session: codexParent, Client: "codex", Direction: event.FromClient}
				return tx.Apply(context.Background(), &env, build(a))
			}))
		}
		use := event.ToolUse{ID: `"call_2"`, Tool: `"exec_command"`, SubAgent: `"` + codexChild + `"`}
		hook(func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
		hook(func(a event.SelfReport) event.Event {
			return &event.AgentStarted{SelfReport: a, Agent: event.SubAgent{ID: `"` + codexChild + `"`}}
		})
		start := time.Now().UnixNano()
		hook(func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		time.Sleep(time.Second)
		hook(func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		td := ptrace.NewTraces()
		span(td, "codex_exec", 1, start, time.Now().UnixNano(), map[string]any{
			"conversation.id": codexChild, "codex.tool.phase": "execute", "call_id": "call_2", "tool_name": "exec_command",
		})
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "codex_exec")
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		hook(func(a event.SelfReport) event.Event {
			return &event.AgentEnded{SelfReport: a, Agent: event.SubAgent{ID: `"` + codexChild + `"`, Type: `"default"`}}
		})
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["workflow.run"], 1, "one session")
		require.Len(t, spans["native"], 1)
		assert.Empty(t, spans["tool.call"], "the agent's own span is the only one")
		native := spans["native"][0].Attributes().AsRaw()
		assert.Equal(t, codexParent, native["gen_ai.conversation.id"], "%v", native)
		assert.NotContains(t, native, "mcp.duplicate_of")
		assert.Equal(t, []any{native["mcp.announced_as"]}, s.started(mcpconv.LogCallStart), "so that who saw it start knows that it ended")
		summary := spans["session.summary"][0].Attributes().AsRaw()
		assert.EqualValues(t, 1, summary["mcp.summary.tool_calls"])
		assert.EqualValues(t, 1, summary["mcp.summary.agents"])
	})
}

// A hook may come after log records have told of the whole life of a sub-agent: then it
// starts none, however late it comes: the id tells.
func TestSubAgentsLateHook(t *testing.T) {
	for _, c := range []struct {
		after  time.Duration
		agents int64
	}{{time.Millisecond, 1}, {time.Minute, 1}} {
		synctest.Test(t, func(t *testing.T) {
			s := newSetupOf(t, settings(), nil, newDecoder)
			s.start(t)
			ld := plog.NewLogs()
			began := time.Now()
			codexSpawns(ld, began.UnixNano())
			codexWorks(ld, began.UnixNano()+100)
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			time.Sleep(time.Minute)
			require.NoError(t, s.c.runner.Run(t.Context(), "hooks", func(tx *session.Tx, now int64) error {
				env := event.Envelope{
					Arrival: now, Time: began.Add(c.after).UnixNano(), Session: codexParent, Client: "codex", Direction: event.FromClient,
				}
				return tx.Apply(t.Context(), &env, &event.AgentStarted{
					SelfReport: event.SelfReport{
						Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
						Facts:  &event.Facts{Sources: []string{mcpconv.SourceHooks}},
					},
					Agent: event.SubAgent{ID: `"` + codexChild + `"`},
				})
			}))
			s.stop(t)
			assert.EqualValues(t, c.agents, s.spans()["session.summary"][0].Attributes().AsRaw()["mcp.summary.agents"])
		})
	}
}

// The span of a sub-agent's turn causes nothing, since its parent's hooks told of the
// sub-agent. Without a word on whose part it is, it would be a session of its own.
func TestSubAgentsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		ld := plog.NewLogs()
		now := time.Now().UnixNano()
		codexSpawns(ld, now)
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		td := ptrace.NewTraces()
		span(td, "codex_exec", 1, now, now+50, map[string]any{"thread.id": codexChild, "codex.turn.token_usage.input_tokens": 3})
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "codex_exec")
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName("session_task.turn")
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		require.Len(t, s.spans()["session_task.turn"], 1)
		turn := s.spans()["session_task.turn"][0].Attributes().AsRaw()
		assert.Equal(t, codexParent, turn["mcp.session.part_of"])
		assert.Equal(t, "call", turn["mcp.dialect.repeats"], "agent.call is its span")
	})
}

// What an SDK puts around each call of a model is no sub-agent, although it looks like
// one.
func TestSpanAroundACallOfAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		td := ptrace.NewTraces()
		now := time.Now().UnixNano()
		for i, name := range []string{"ai.streamText", "ai.streamText.doStream"} {
			span(td, "opencode", byte(i+1), now, now+50, map[string]any{"session.id": "ses_1", "ai.model.id": "m", "ai.usage.inputTokens": 3})
			td.ResourceSpans().At(i).Resource().Attributes().PutStr("service.name", "opencode")
			td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0).SetName(name)
		}
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		assert.Equal(t, "call", s.spans()["ai.streamText"][0].Attributes().AsRaw()["mcp.dialect.repeats"])
		assert.NotContains(t, s.spans()["ai.streamText.doStream"][0].Attributes().AsRaw(), "mcp.dialect.repeats")
	})
}

// The spans of a sub-agent may come before all that tells whose it is: then its session
// ends, and its parent's counts what it did, once.
func TestSubAgentsSpansBeforeItsParentTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		now := time.Now().UnixNano()
		first := plog.NewLogs()
		codexLog(first, now, codexParent, "conversation_starts", nil)
		codexLog(first, now+1, codexParent, "user_prompt", map[string]any{"prompt": "go"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), first))
		td := ptrace.NewTraces()
		span(td, "codex_exec", 1, now+10, now+20, map[string]any{
			"conversation.id": codexChild, "codex.tool.phase": "execute", "call_id": "call_2", "tool_name": "exec_command",
		})
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "codex_exec")
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		late := plog.NewLogs()
		codexLog(late, now+3, codexParent, "tool_result", map[string]any{
			"tool_name": "spawn_agent", "call_id": "call_1", "duration_ms": "0", "success": "true",
			"arguments": `{"message":"look"}`, "output": `{"agent_id":"` + codexChild + `","nickname":"Euler"}`,
		})
		codexWorks(late, now+100)
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), late))
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["workflow.run"], 2)
		for _, root := range spans["workflow.run"] {
			all := root.Attributes().AsRaw()
			if all["gen_ai.conversation.id"] == codexChild {
				assert.Equal(t, codexParent, all["mcp.session.part_of"])
				assert.Equal(t, 1, root.Links().Len())
				continue
			}
			assert.NotContains(t, all, "mcp.session.part_of")
		}
		for _, summary := range spans["session.summary"] {
			if all := summary.Attributes().AsRaw(); all["gen_ai.conversation.id"] == codexParent {
				assert.EqualValues(t, 3, all["mcp.summary.tool_calls"])
				assert.EqualValues(t, 1, all["mcp.summary.agents"])
			}
		}
		assert.Len(t, spans["native"], 1)
		assert.Len(t, spans["tool.call"], 2, "spawn_agent and wait_agent: the sub-agent's call has a span of its own")
	})
}

// copilotHook runs a hook of Copilot, which says that spans are sent too.
func copilotHook(t *testing.T, s *setup, build func(event.SelfReport) event.Event) {
	t.Helper()
	require.NoError(t, s.c.runner.Run(t.Context(), "hooks", func(tx *session.Tx, now int64) error {
		env := event.Envelope{Arrival: now, Time: now, Session: "s-1", Client: mcpconv.Copilot, Direction: event.FromClient}
		return tx.Apply(t.Context(), &env, build(event.SelfReport{
			Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
			Facts:  &event.Facts{Sources: []string{mcpconv.SourceHooks, mcpconv.SourceSpans}},
		}))
	}))
}

// copilotAgents are the spans of a session of Copilot, one of which is that of a sub-agent.
func copilotAgents(t *testing.T, s *setup, began time.Time) {
	t.Helper()
	td := ptrace.NewTraces()
	span(td, "github.copilot", 2, began.UnixNano(), began.Add(time.Second).UnixNano(), map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "explore", "gen_ai.conversation.id": "s-1",
	})
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "github-copilot")
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetParentSpanID([8]byte{1})
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
}

// The hooks and the spans of Copilot report a sub-agent by ids of their own: it is one, in
// whatever order they come. Where no span comes, that of the hooks leaves after the wait.
func TestSubAgentOfHooksAndSpans(t *testing.T) {
	started := func(a event.SelfReport) event.Event {
		return &event.AgentStarted{SelfReport: a, Agent: event.SubAgent{ID: `"a-1"`, Type: `"explore"`}}
	}
	ended := func(a event.SelfReport) event.Event {
		return &event.AgentEnded{SelfReport: a, Agent: event.SubAgent{ID: `"a-1"`, Type: `"explore"`}}
	}
	prompted := func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} }
	for name, order := range map[string][]string{
		"hooks first": {"hook", "span"}, "span first": {"span", "hook"}, "end repeated": {"hook", "hook", "span", "hook"},
		"no span": {"hook", "wait"}, "late span": {"hook", "wait", "span"}, "end of the session": {"hook"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), nil, newDecoder)
				s.start(t)
				copilotHook(t, s, prompted)
				began := time.Now()
				copilotHook(t, s, started)
				time.Sleep(time.Second)
				for _, what := range order {
					switch what {
					case "hook":
						copilotHook(t, s, ended)
					case "span":
						copilotAgents(t, s, began)
					case "wait":
						time.Sleep(11 * time.Second)
						synctest.Wait()
						require.Len(t, s.spans()["agent.call"], 1, "no longer than that")
					}
				}
				s.stop(t)
				spans := s.spans()
				assert.EqualValues(t, 1, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.agents"])
				announced := s.started(mcpconv.SpanAgentStart)
				require.Len(t, announced, 1)
				var left []any
				for _, made := range spans["agent.call"] {
					left = append(left, made.SpanID().String())
					assert.EqualValues(t, time.Second, made.EndTimestamp()-made.StartTimestamp())
				}
				for _, own := range spans["native"] {
					attributes := own.Attributes().AsRaw()
					if name == "late span" {
						assert.Equal(t, announced[0], attributes["mcp.duplicate_of"])
						continue
					}
					assert.NotContains(t, attributes, "mcp.duplicate_of")
					assert.Equal(t, "a-1", attributes["mcp.agent.id"])
					left = append(left, attributes["mcp.announced_as"])
				}
				assert.Equal(t, announced, left, "one span")
			})
		})
	}
}

// Hooks and log records report a sub-agent in whatever order: it is one, with what hooks
// tell where there are some.
func TestSubAgentOfHooksAndLogs(t *testing.T) {
	hook := func(t *testing.T, s *setup, build func(event.SelfReport) event.Event) {
		t.Helper()
		require.NoError(t, s.c.runner.Run(t.Context(), "hooks", func(tx *session.Tx, now int64) error {
			env := event.Envelope{Arrival: now, Time: now, Session: codexParent, Client: "codex", Direction: event.FromClient}
			return tx.Apply(t.Context(), &env, build(event.SelfReport{
				Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
				Facts:  &event.Facts{Sources: []string{mcpconv.SourceHooks, mcpconv.SourceLogs}},
			}))
		}))
	}
	agent := event.SubAgent{ID: `"` + codexChild + `"`, Type: `"default"`}
	for name, order := range map[string]string{
		"hooks first": "sel", "logs first": "lse", "start, logs, end": "sle", "logs, end": "le", "end repeated": "seel",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), nil, newDecoder)
				s.start(t)
				began := time.Now().UnixNano()
				hook(t, s, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
				for _, what := range order {
					switch what {
					case 's':
						hook(t, s, func(a event.SelfReport) event.Event { return &event.AgentStarted{SelfReport: a, Agent: agent} })
					case 'e':
						hook(t, s, func(a event.SelfReport) event.Event { return &event.AgentEnded{SelfReport: a, Agent: agent} })
					case 'l':
						ld := plog.NewLogs()
						codexSpawns(ld, began)
						codexWorks(ld, began+100)
						require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
					}
				}
				s.stop(t)
				spans := s.spans()
				require.Len(t, spans["workflow.run"], 1)
				require.Len(t, spans["agent.call"], 1)
				assert.NotContains(t, spans["agent.call"][0].Attributes().AsRaw(), "mcp.duplicate_of")
				assert.EqualValues(t, 1, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.agents"])
				assert.Len(t, s.started(mcpconv.SpanAgentStart), 1)
			})
		})
	}
}
