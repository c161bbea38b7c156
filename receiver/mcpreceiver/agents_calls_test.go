package mcpreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// A call of an MCP server's tool that was refused reached no server: it is no operation.
func TestRefusedCallIsNoOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		ld, now := plog.NewLogs(), time.Now().UnixNano()
		codexLog(ld, now, codexParent, "tool_decision", map[string]any{
			"tool_name": "read", "tool_namespace": "mcp__files__", "call_id": "call_1", "decision": "denied", "source": "User",
		})
		codexLog(ld, now+1, codexParent, "tool_result", map[string]any{
			"tool_name": "list", "tool_namespace": "mcp__files__", "call_id": "call_2", "duration_ms": "5", "success": "true", "mcp_server": "files",
		})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.stop(t)
		require.Len(t, s.spans()["tool.call"], 2)
		operations := lastMetrics(s.metrics)["mcp.client.operation.duration"].Histogram().DataPoints()
		require.Equal(t, 1, operations.Len())
		tool, _ := operations.At(0).Attributes().Get("gen_ai.tool.name")
		assert.Equal(t, "list", tool.Str())
	})
}

// Log records of Gemini CLI have no ids, its spans have: each of two calls that are equal
// and made at once is joined with one, however often that is sent.
func TestSpansTellEqualCallsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		s.start(t)
		now := time.Now().UnixNano()
		const ms = int64(time.Millisecond)
		ld := plog.NewLogs()
		for i := range int64(2) {
			record(ld, "gemini-cli", now+100*ms, map[string]any{
				"event.name": "gemini_cli.tool_call", "session.id": "s-1", "function_name": "read_file", "function_args": `{"path":"a"}`,
				"duration_ms": 100, "success": true, "decision": "accept", "start_time": now/ms + i, "end_time": (now + 100*ms) / ms,
			})
		}
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		td := ptrace.NewTraces()
		for i := range byte(2) {
			span(td, "gemini-cli", i+1, now+int64(i)*ms, now+100*ms, map[string]any{
				"session.id": "s-1", "gen_ai.conversation.id": "s-1", "gen_ai.operation.name": "tool_call", "gen_ai.tool.name": "read_file",
				"gen_ai.tool.call_id": "read_" + string("12"[i]),
			})
			td.ResourceSpans().At(int(i)).ScopeSpans().At(0).Spans().At(0).SetName("tool_call")
		}
		for range 2 {
			require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		}
		s.stop(t)
		assert.Equal(t, map[string]int64{"s-1": 2}, s.calls())
		assert.Empty(t, s.spans()["tool.call"])
		require.Len(t, s.spans()["tool_call"], 4)
		for _, own := range s.spans()["tool_call"] {
			assert.NotContains(t, own.Attributes().AsRaw(), "mcp.duplicate_of")
		}
	})
}

// A hook reports that a command starts, and nothing else if it is refused: its turn ends it.
// The log record of the refusal, which has no id, comes behind.
func TestRefusalBehindItsTurn(t *testing.T) {
	for name, after := range map[string]time.Duration{"while it is held": time.Second, "when it has left": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t, settings(), nil)
				s.start(t)
				told := func(e func(event.SelfReport) event.Event) {
					s.hook(t, []string{mcpconv.SourceHooks, mcpconv.SourceLogs}, e)
				}
				ran := event.ToolUse{Tool: `"Bash"`, Input: `{"command":"ls"}`}
				told(func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
				told(func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: ran} })
				told(func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: ran} })
				time.Sleep(300 * time.Millisecond)
				told(func(a event.SelfReport) event.Event {
					return &event.ToolStarted{SelfReport: a, Use: event.ToolUse{Tool: `"Bash"`, Input: `{"command":"rm -r /"}`}}
				})
				at := time.Now().Add(50 * time.Millisecond).UnixNano()
				time.Sleep(time.Second)
				told(func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} })
				time.Sleep(after)
				ld := plog.NewLogs()
				record(ld, "agent", at-250e6, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "decision": "accept"})
				record(ld, "agent", at, map[string]any{"session": "s", "what": "denied", "tool": "Bash"})
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				s.stop(t)
				spans := s.spans()
				require.Len(t, spans["tool.call"], 2)
				summary := spans["session.summary"][0].Attributes().AsRaw()
				assert.EqualValues(t, 2, summary["mcp.summary.tool_calls"])
				assert.EqualValues(t, 1, summary["mcp.summary.refusals"])
				assert.EqualValues(t, 0, summary["mcp.summary.errors"])
				for _, call := range spans["tool.call"] {
					all := call.Attributes().AsRaw()
					decision := all["mcp.tool.decision"]
					for _, amended := range spans["call.amended"] {
						if amended.Attributes().AsRaw()["mcp.amended.span_id"] == call.SpanID().String() {
							decision = amended.Attributes().AsRaw()["mcp.tool.decision"]
						}
					}
					if all["mcp.tool.input_json"] == `{"command":"ls"}` {
						assert.NotEqual(t, "reject", decision)
					} else {
						assert.Equal(t, "reject", decision)
					}
				}
			})
		})
	}
}
