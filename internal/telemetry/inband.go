package telemetry

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// InBand adds the spans that a server sent along, as far as they belong where
// they came from. What cannot be read counts as one that does not.
func (b *Batch) InBand(in *session.InBand) (accepted, refused int) {
	var reader ptrace.JSONUnmarshaler
	td, err := reader.UnmarshalTraces([]byte(`{"resourceSpans":` + string(in.Spans) + `}`))
	if err != nil {
		return 0, 1
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				if !in.Belongs(identity.TraceID(span.TraceID())) || span.SpanID().IsEmpty() {
					refused++
					return true
				}
				span.Attributes().PutBool(mcpconv.InBand, true)
				accepted++
				return false
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	if accepted > 0 {
		b.out.append(td, accepted)
	}
	return accepted, refused
}
