package event

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// ParseTraceContext reads the two headers of W3C Trace Context
// (https://www.w3.org/TR/trace-context/); ok is false if traceparent is not valid.
// An invalid tracestate is left out, as section 3.3 of the specification requires.
func ParseTraceContext(traceparent, tracestate string) (_ identity.Context, ok bool) {
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	if tracestate != "" {
		carrier["tracestate"] = tracestate
	}
	sc := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !sc.IsValid() {
		return identity.Context{}, false
	}
	return identity.Context{
		Trace: identity.TraceID(sc.TraceID()), Span: identity.SpanID(sc.SpanID()),
		Flags: byte(sc.TraceFlags()), State: sc.TraceState().String(),
	}, true
}
