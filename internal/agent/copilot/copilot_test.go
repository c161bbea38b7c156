package copilot

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// The files are made from Copilot's documentation, not by the program.
func TestTelemetry(t *testing.T) { otlptest.Files(t, &Telemetry{}) }

func FuzzTelemetry(f *testing.F) {
	otlptest.Seed(f)
	otlptest.Fuzz(f, &Telemetry{})
}

// What a person interrupts has not failed, and a span of the question says when it was answered.
func TestInterrupted(t *testing.T) {
	read := func(name string, after time.Duration, attributes map[string]any) []event.Event {
		span := ptrace.NewSpan()
		span.SetName(name)
		span.SetSpanID(pcommon.SpanID{1})
		span.SetTraceID(pcommon.TraceID{1})
		span.SetStartTimestamp(1e18)
		span.SetEndTimestamp(pcommon.Timestamp(1e18 + int64(after)))
		span.Status().SetCode(ptrace.StatusCodeError)
		attributes["gen_ai.conversation.id"] = "s"
		require.NoError(t, span.Attributes().FromRaw(attributes))
		return (&Telemetry{}).Span(&otlp.Origin{Resource: pcommon.NewMap(), Scope: "github.copilot"}, span).Events
	}
	tool := read("execute_tool bash", time.Second, map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "c", "error.type": "cancelled",
	})
	require.Len(t, tool, 1)
	require.True(t, tool[0].(*event.ToolEnded).Interrupted)
	require.Empty(t, tool[0].(*event.ToolEnded).Use.ErrorType)
	model := read("chat gpt", time.Second, map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt", "error.type": "cancelled"})
	require.True(t, model[0].(*event.ModelEnded).Interrupted)
	require.False(t, model[0].(*event.ModelEnded).Failed)
	for _, e := range read("invoke_agent", time.Second, map[string]any{"gen_ai.operation.name": "invoke_agent", "error.type": "cancelled"}) {
		if ended, ok := e.(*event.TurnEnded); ok {
			require.False(t, ended.Failed)
		}
	}
	require.IsType(t, &event.ApprovalAnswered{}, read("permission", time.Second, map[string]any{"github.copilot.permission.result": "approved"})[0])
	require.Empty(t, read("permission", time.Millisecond, map[string]any{"github.copilot.permission.result": "approved"}), "a rule")
}
