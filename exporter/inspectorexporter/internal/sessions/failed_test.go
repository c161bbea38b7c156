package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func otlpSpan(session, name string, id, parent byte, code ptrace.StatusCode, pairs ...any) item {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{1, session[0]})
	s.SetSpanID(pcommon.SpanID{7: id})
	s.SetParentSpanID(pcommon.SpanID{7: parent})
	s.SetName(name)
	s.SetStartTimestamp(at(0))
	s.SetEndTimestamp(at(5))
	s.Status().SetCode(code)
	put(s.Attributes(), session, pairs)
	return func(b *Board) Update { return b.Span(pcommon.NewResource(), s, "") }
}

// A span failed if its OpenTelemetry status or mcp.status.code tells so.
func TestEitherStatusTellsOfAFailure(t *testing.T) {
	for _, c := range []struct {
		name   string
		otel   ptrace.StatusCode
		mcp    string
		failed bool
	}{
		{"neither", ptrace.StatusCodeUnset, "", false},
		{"ok", ptrace.StatusCodeOk, "ok", false},
		{"OpenTelemetry's", ptrace.StatusCodeError, "", true},
		{"ours alone", ptrace.StatusCodeUnset, "error", true},
		{"ours against OK", ptrace.StatusCodeOk, "error", true},
		{"both", ptrace.StatusCodeError, "error", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pairs := []any{"mcp.error.code", "SERVER_ERROR", "mcp.error.message", "no disk"}
			if c.mcp != "" {
				pairs = append(pairs, "mcp.status.code", c.mcp)
			}
			b, _ := board(10)
			otlpSpan("s", "tool.call", 3, 1, c.otel, pairs...)(b)
			otlpSpan("s", "workflow.run", 1, 0, c.otel, pairs...)(b)
			got := row(t, b, "s")
			if !c.failed {
				assert.Equal(t, Done, got.State)
				assert.Zero(t, got.Errors)
				return
			}
			assert.Equal(t, Failed, got.State)
			assert.Equal(t, Failed, got.Status)
			assert.Equal(t, "no disk", got.Error)
			assert.EqualValues(t, 1, got.Errors, "that the session failed is its state")
		})
	}
}
