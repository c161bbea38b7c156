// Package tracecontext reads W3C Trace Context (https://www.w3.org/TR/trace-context/).
package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Context is a trace context; the zero value is none. It is stored with the
// calls that it is the parent of: the numbers of its fields never change.
type Context struct {
	Trace identity.TraceID `cbor:"1,keyasint,omitempty"`
	Span  identity.SpanID  `cbor:"2,keyasint,omitempty"`
	Flags byte             `cbor:"3,keyasint,omitempty"`
	State string           `cbor:"4,keyasint,omitempty"` // the tracestate header
}

// Valid reports whether there is a context.
func (c Context) Valid() bool { return !c.Span.IsZero() }

// Parse reads the two headers of the specification; ok is false if traceparent
// is not valid. An invalid tracestate is left out, as section 3.3 of the
// specification requires.
func Parse(traceparent, tracestate string) (_ Context, ok bool) {
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
