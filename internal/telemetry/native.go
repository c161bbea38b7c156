package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Addition holds attributes for a span that an agent made itself.
type Addition struct {
	Trace      identity.TraceID
	Span       identity.SpanID
	Attributes pcommon.Map
	Session    string           // "" if there is none
	Root       identity.Context // of its session
	Failed     bool
}

// ID returns the span's id.
func (n *Addition) ID() pcommon.SpanID { return pcommon.SpanID(n.Span) }

// Of reports whether it belongs to the span.
func (n *Addition) Of(span ptrace.Span) bool {
	return identity.SpanID(span.SpanID()) == n.Span && identity.TraceID(span.TraceID()) == n.Trace
}

// Complete adds to the span what it has not, and a link to the root of its session.
// Its ids, its parent and what it says itself stay as they are, but for an operation
// that the semantic conventions do not have, and for the agent's own name of a tool's
// error that they have one for: nobody would look for these.
func (n *Addition) Complete(span ptrace.Span) {
	n.operation(span.Attributes())
	n.toolError(span.Attributes())
	n.partOf(span.Attributes())
	for key, value := range n.Attributes.All() {
		if _, has := span.Attributes().Get(key); !has {
			value.CopyTo(span.Attributes().PutEmpty(key))
		}
	}
	if n.Failed && span.Status().Code() == ptrace.StatusCodeUnset {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	if n.Root.Trace != n.Trace {
		addLink(span, n.Root)
	}
}

// partOf names the session of a span that a sub-agent made, which calls its own
// conversation a session.
func (n *Addition) partOf(m pcommon.Map) {
	own, has := m.Get(mcpconv.SessionID)
	if !has {
		own, has = m.Get(mcpconv.GenAIConversation)
	}
	if has && n.Session != "" && own.AsString() != n.Session {
		m.PutStr(mcpconv.SessionPartOf, n.Session)
	}
}

// operation keeps one that the conventions do not have under a key of its own.
func (n *Addition) operation(m pcommon.Map) {
	ours, known := n.Attributes.Get(mcpconv.GenAIOperation)
	if own, has := m.Get(mcpconv.GenAIOperation); known && has && !mcpconv.IsOperation(own.Str()) {
		m.PutStr(mcpconv.DialectOperation, own.Str())
		m.PutStr(mcpconv.GenAIOperation, ours.Str())
	}
}

// toolError keeps the agent's name of it under a key of its own.
func (n *Addition) toolError(m pcommon.Map) {
	ours, known := n.Attributes.Get(mcpconv.ErrorType)
	own, has := m.Get(mcpconv.ErrorType)
	if known && has && ours.AsString() == mcpconv.TypeToolError && own.AsString() != mcpconv.TypeToolError {
		m.PutStr(mcpconv.DialectErrorType, own.AsString())
		m.PutStr(mcpconv.ErrorType, mcpconv.TypeToolError)
	}
}

// LinkRoot links the root of an agent's own trace to the root of its session. Other spans,
// and one that is linked to it, stay as they are.
func LinkRoot(span ptrace.Span, root identity.Context) {
	if !span.ParentSpanID().IsEmpty() || span.TraceID() == pcommon.TraceID(root.Trace) {
		return
	}
	for _, l := range span.Links().All() {
		if l.SpanID() == pcommon.SpanID(root.Span) && l.TraceID() == pcommon.TraceID(root.Trace) {
			return
		}
	}
	addLink(span, root)
}

// addLink links a span to the context, unless that is none.
func addLink(span ptrace.Span, c identity.Context) {
	if !c.Valid() {
		return
	}
	l := span.Links().AppendEmpty()
	l.SetTraceID(pcommon.TraceID(c.Trace))
	l.SetSpanID(pcommon.SpanID(c.Span))
	l.TraceState().FromRaw(c.State)
	l.SetFlags(uint32(c.Flags))
}
