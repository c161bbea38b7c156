package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// The files are made from the conventions, not by a program.
func TestTelemetry(t *testing.T) { otlptest.Files(t, &Telemetry{}) }

func FuzzTelemetry(f *testing.F) {
	otlptest.Seed(f)
	otlptest.Fuzz(f, &Telemetry{})
}

// TestFailureByTheInspectorsKeys: spans of mcp-agent leave the status unset.
func TestFailureByTheInspectorsKeys(t *testing.T) {
	for name, c := range map[string]struct {
		attributes map[string]any
		status     ptrace.StatusCode
		failed     bool
		kind, text string
	}{
		"error":          {map[string]any{"mcp.status.code": "error", "mcp.error.code": "TIMEOUT", "mcp.error.message": "slow"}, ptrace.StatusCodeUnset, true, "TIMEOUT", "slow"},
		"status alone":   {map[string]any{"mcp.status.code": "error"}, ptrace.StatusCodeUnset, true, "", ""},
		"code alone":     {map[string]any{"mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeUnset, true, "TIMEOUT", ""},
		"ok with a code": {map[string]any{"mcp.status.code": "ok", "mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeUnset, false, "", ""},
		"status ok":      {map[string]any{"mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeOk, false, "", ""},
		"error.type":     {map[string]any{"mcp.status.code": "error", "error.type": "timeout", "mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeUnset, true, "timeout", ""},
		"none":           {map[string]any{"mcp.status.code": "ok"}, ptrace.StatusCodeUnset, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := ptrace.NewSpan()
			s.SetTraceID(pcommon.TraceID{1})
			s.SetSpanID(pcommon.SpanID{1})
			s.SetStartTimestamp(1)
			s.SetEndTimestamp(2)
			s.Status().SetCode(c.status)
			require.NoError(t, s.Attributes().FromRaw(c.attributes))
			s.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
			s.Attributes().PutStr("gen_ai.tool.name", "echo")
			r := (&Telemetry{}).Span(&otlp.Origin{Resource: pcommon.NewMap()}, s)
			require.Len(t, r.Events, 1)
			ended := r.Events[0].(*event.ToolEnded)
			assert.Equal(t, c.failed, ended.Failed)
			assert.Equal(t, c.kind, ended.Use.ErrorType)
			assert.Equal(t, c.text, ended.Text)
		})
	}
}
