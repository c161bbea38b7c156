package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/tracecontext"
)

// Native is what is to be added to a span that an agent made itself.
type Native struct {
	trace      identity.TraceID
	span       identity.SpanID
	attributes pcommon.Map
	session    string
	root       tracecontext.Context // of its session
	failed     bool
}

// Natives are what is to be added to the agents' own spans that were reported.
func (b *Batch) Natives() []Native { return b.natives }

// ID is that of the span.
func (n *Native) ID() pcommon.SpanID { return pcommon.SpanID(n.span) }

// Of reports whether it belongs to the span.
func (n *Native) Of(span ptrace.Span) bool {
	return identity.SpanID(span.SpanID()) == n.span && identity.TraceID(span.TraceID()) == n.trace
}

// Complete adds to the span what it has not, and a link to the root of its session.
// Its ids, its parent and what it says itself stay as they are, but for an operation
// that the semantic conventions do not have, which nobody would look for.
func (n *Native) Complete(span ptrace.Span) {
	n.operation(span.Attributes())
	n.partOf(span.Attributes())
	for key, value := range n.attributes.All() {
		if _, has := span.Attributes().Get(key); !has {
			value.CopyTo(span.Attributes().PutEmpty(key))
		}
	}
	if n.failed && span.Status().Code() == ptrace.StatusCodeUnset {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	if n.root.Trace != n.trace {
		link(span, n.root)
	}
}

// partOf names the session of a span that a sub-agent made, which calls its own
// conversation a session.
func (n *Native) partOf(m pcommon.Map) {
	own, has := m.Get(mcpconv.SessionID)
	if !has {
		own, has = m.Get(mcpconv.GenAIConversation)
	}
	if has && n.session != "" && own.AsString() != n.session {
		m.PutStr(mcpconv.SessionPartOf, n.session)
	}
}

// operation keeps one that the conventions do not have under a key of its own.
func (n *Native) operation(m pcommon.Map) {
	ours, known := n.attributes.Get(mcpconv.GenAIOperation)
	if own, has := m.Get(mcpconv.GenAIOperation); known && has && !mcpconv.IsOperation(own.Str()) {
		m.PutStr(mcpconv.DialectOperation, own.Str())
		m.PutStr(mcpconv.GenAIOperation, ours.Str())
	}
}

// native collects what was written of an agent's own span.
func (b *Batch) native(n *event.Native, session *emit.CallEnd, o *emit.Outcome) {
	attributes := pcommon.NewMap()
	a := &b.attrs
	if o.Failed {
		a.str(mcpconv.StatusCode, "error")
		a.str(mcpconv.ErrorCode, o.Code)
		a.payload(mcpconv.ErrorMessage, o.Message)
		a.otel(mcpconv.ErrorType, o.Type)
	} else {
		a.str(mcpconv.StatusCode, "ok")
	}
	a.into(attributes)
	added := Native{trace: n.Trace, span: n.Span, attributes: attributes, failed: o.Failed}
	if s := session.Session; s != nil {
		added.session, added.root = s.ID, tracecontext.Context{Trace: s.Trace, Span: s.Root}
	}
	b.natives = append(b.natives, added)
}
