package sessions

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// role is what a span is to its session.
type role uint8

const (
	asPart  role = iota
	asRoot       // the session ends with it
	asGuest      // of a server which a call of the session reached
)

func (b *Board) roleOf(s *session, span ptrace.Span) role {
	switch {
	case b.isRoot(s, span):
		return asRoot
	case !attribute.Asks(span) && b.isGuest(s, span):
		return asGuest
	}
	return asPart
}

// isRoot reports whether the span ends its trace: whatever has no parent and lasts, and is
// not a server's of a call.
func (b *Board) isRoot(s *session, span ptrace.Span) bool {
	if !span.ParentSpanID().IsEmpty() || span.EndTimestamp() == 0 {
		return false
	}
	if paused, _ := attribute.Bool(span.Attributes(), mcpconv.SessionPaused); paused {
		return false
	}
	if attribute.Str(span.Attributes(), mcpconv.SessionEndReason) != "" {
		return true
	}
	return span.EndTimestamp() > span.StartTimestamp()+1 && (attribute.Asks(span) || !b.isGuest(s, span))
}
