package e2e

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// asJaegerKeeps is what Jaeger gives back of these spans. Its model knows less
// than OTLP, and each step below names one difference; there may be no other.
func asJaegerKeeps(traces ptrace.Traces) ptrace.Traces {
	kept := ptrace.NewTraces()
	traces.CopyTo(kept)
	for _, rs := range kept.ResourceSpans().All() {
		// A process has no schema URL.
		rs.SetSchemaUrl("")
		flatten(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			// A scope is kept as two tags on each span: its name and its version.
			ss.SetSchemaUrl("")
			ss.Scope().Attributes().Clear()
			for _, span := range ss.Spans().All() {
				keepOfSpan(span)
			}
		}
	}
	return kept
}

func keepOfSpan(span ptrace.Span) {
	// The model has neither the flags of OTLP nor its counts of what was dropped.
	span.SetFlags(0)
	span.SetDroppedAttributesCount(0)
	span.SetDroppedEventsCount(0)
	span.SetDroppedLinksCount(0)
	flatten(span.Attributes())
	// Jaeger notes how each span came in.
	span.Attributes().PutStr("internal.span.format", "otlp")
	for _, event := range span.Events().All() {
		event.SetDroppedAttributesCount(0)
		flatten(event.Attributes())
	}
	for _, link := range span.Links().All() {
		keepOfLink(link)
	}
}

// A link becomes a reference: two ids and a type, which the translator gives
// back as this attribute.
func keepOfLink(link ptrace.SpanLink) {
	link.SetFlags(0)
	link.TraceState().FromRaw("")
	link.SetDroppedAttributesCount(0)
	link.Attributes().Clear()
	link.Attributes().PutStr("opentracing.ref_type", "follows_from")
}

// A tag is a string, bool, number or bytes: lists and maps become their JSON.
func flatten(attributes pcommon.Map) {
	for key, value := range attributes.All() {
		if value.Type() == pcommon.ValueTypeSlice || value.Type() == pcommon.ValueTypeMap {
			attributes.PutStr(key, value.AsString())
		}
	}
}
