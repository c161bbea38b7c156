package mcpconnector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
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
