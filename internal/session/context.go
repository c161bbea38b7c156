package session

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// Context is a W3C trace context; the zero value is none.
type Context struct {
	Trace identity.TraceID
	Span  identity.SpanID
	Flags byte
	State string
}

// Valid tells whether there is a context.
func (c Context) Valid() bool { return !c.Span.IsZero() }

// ParseContext reads the two headers of W3C Trace Context; ok is false when
// traceparent is not valid. An invalid tracestate is left out, as section 3.3
// of the specification wants.
func ParseContext(traceparent, tracestate string) (_ Context, ok bool) {
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	if tracestate != "" {
		carrier["tracestate"] = tracestate
	}
	sc := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !sc.IsValid() {
		return Context{}, false
	}
	return Context{
		Trace: identity.TraceID(sc.TraceID()), Span: identity.SpanID(sc.SpanID()),
		Flags: byte(sc.TraceFlags()), State: sc.TraceState().String(),
	}, true
}

// contextOf is the context that the message, else the record around it, names.
func (tx *Tx) contextOf(o *Observation, meta *jsonrpc.Meta) Context {
	if meta != nil && meta.Traceparent != "" {
		if c, ok := ParseContext(meta.Traceparent.Str(), meta.Tracestate.Str()); ok {
			return c
		}
		tx.note(BadContext)
	}
	if o.Traceparent == "" {
		return Context{}
	}
	c, ok := ParseContext(o.Traceparent, o.Tracestate)
	if !ok {
		tx.note(BadContext)
	}
	return c
}
