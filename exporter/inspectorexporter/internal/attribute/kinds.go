package attribute

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Asks reports whether the span is of who makes a call, rather than of what serves it.
func Asks(span ptrace.Span) bool {
	return span.Kind() == ptrace.SpanKindClient || span.Name() == mcpconv.SpanTool
}

// IsFrame reports whether the span is of a session itself, rather than of what is done
// in it.
func IsFrame(span ptrace.Span) bool {
	switch span.Name() {
	case mcpconv.SpanWorkflow, mcpconv.SpanSummary, mcpconv.SpanSessionStart, mcpconv.SpanPhase:
		return true
	}
	return false
}
