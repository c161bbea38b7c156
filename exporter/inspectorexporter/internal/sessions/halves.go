package sessions

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// The trace of a server, or an Inspector's inbound session, that served a call of another
// session is part of that session, whichever of the two came first. They are halves by the
// request id that both sides of the call have, or because the processor has moved the
// server's trace into the caller's.

// joinHalves makes one row of both halves of a call, if the span is of one.
func (b *Board) joinHalves(s *session, span ptrace.Span) {
	m := span.Attributes()
	id := attribute.RequestID(m)
	if !attribute.Asks(span) && isServed(span) {
		s.serves = s.serves || id != ""
		if caller := b.byTrace[span.TraceID()]; wasMoved(span) && caller != nil && caller != s && b.byID[s.row.ID] == s {
			b.fold(s.row.ID, caller.row.ID)
		}
	}
	b.joinRequest(id)
}

// joinRequest makes one row of both halves of the call with the request id, if both are
// there.
func (b *Board) joinRequest(id string) {
	caller, server := b.byRequest[id], b.byAnswer[id]
	if id != "" && caller != nil && server != nil && caller != server && server.serves {
		b.fold(server.row.ID, caller.row.ID)
	}
}

// isServed reports whether the span is where a server begins to serve a call.
func isServed(span ptrace.Span) bool {
	begins := span.ParentSpanID().IsEmpty() || wasMoved(span)
	return begins && (span.Kind() == ptrace.SpanKindServer || span.Name() == mcpconv.SpanWorkflow)
}

// wasMoved reports whether the processor made the span part of its caller's trace.
func wasMoved(span ptrace.Span) bool {
	return attribute.Str(span.Attributes(), mcpconv.OriginalTrace) != ""
}
