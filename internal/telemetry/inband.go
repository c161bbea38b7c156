package telemetry

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// InBand adds the spans that a server sent along, those that belong where they
// came from; what cannot be read counts as one that does not.
func (b *Batch) InBand(in *session.InBand) (taken, refused int) {
	var reader ptrace.JSONUnmarshaler
	td, err := reader.UnmarshalTraces([]byte(`{"resourceSpans":` + string(in.ResourceSpans) + `}`))
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
				taken++
				return false
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	if taken > 0 {
		if b.spans == 0 {
			b.traces = ptrace.NewTraces()
		}
		b.spans += taken
		td.ResourceSpans().MoveAndAppendTo(b.traces.ResourceSpans())
	}
	return taken, refused
}
