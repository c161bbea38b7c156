package inspectorwire

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// AppendSpan appends the line of one span, with its line feed, in the superset
// of both shapes. A span without end time gives a line of a span that runs.
// by is [ProcessWriter]'s, or empty.
func AppendSpan(dst []byte, r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span, by string) []byte {
	return AppendSpanWith(dst, r, s, span, span.Attributes(), by)
}

// AppendSpanWith is [AppendSpan] of a span whose attributes are those, whatever
// it has itself.
func AppendSpanWith(dst []byte, r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span, m pcommon.Map, by string) []byte {
	w := lineWriter{writer: writer{b: dst}, span: span, own: m}
	w.raw("{")
	w.flat()
	w.python()
	w.resource(r)
	w.scope(s)
	w.otel(r, s, by)
	w.raw("}\n")
	return w.b
}

// lineWriter writes one span.
type lineWriter struct {
	writer
	span ptrace.Span
	own  pcommon.Map // its attributes
}

// flat writes the members of the flat shape, and those that both have.
func (w *lineWriter) flat() {
	id, trace, parent := w.span.SpanID(), w.span.TraceID(), w.span.ParentSpanID()
	w.id("trace_id", "", trace[:])
	w.id("span_id", "", id[:])
	if !parent.IsEmpty() {
		w.id("parent_span_id", "", parent[:])
	}
	w.member("name", w.span.Name())
	w.time("start_time", w.span.StartTimestamp())
	if w.span.EndTimestamp() != 0 {
		w.time("end_time", w.span.EndTimestamp())
	}
	w.key("attributes")
	w.attributes(w.own)
	w.status()
	w.events()
}

// statusCodes are OpenTelemetry's names by number.
var statusCodes = [...]string{"UNSET", "OK", "ERROR"}

func (w *lineWriter) status() {
	w.key("status")
	w.raw("{")
	if code := int(w.span.Status().Code()); code >= 0 && code < len(statusCodes) {
		w.member("status_code", statusCodes[code])
	} else {
		w.lossy = true
		w.member("status_code", statusCodes[0])
	}
	if text := w.span.Status().Message(); text != "" {
		w.member("description", text)
	}
	w.raw("}")
}

func (w *lineWriter) events() {
	w.key("events")
	w.raw("[")
	for i, e := range w.span.Events().All() {
		w.comma(i)
		w.raw("{")
		w.member("name", e.Name())
		w.time("time", e.Timestamp())
		w.time("timestamp", e.Timestamp())
		w.key("attributes")
		w.attributes(e.Attributes())
		w.count("dropped_attributes_count", e.DroppedAttributesCount())
		w.raw("}")
	}
	w.raw("]")
}

// kinds are the Python SDK's names by number.
var kinds = [...]string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}

// hexPrefix is before ids in the Python SDK's shape.
const hexPrefix = "0x"

const kindPrefix = "SpanKind."

// python writes the members that only the Python SDK's shape has.
func (w *lineWriter) python() {
	w.context(w.span.TraceID(), w.span.SpanID(), w.span.TraceState().AsRaw())
	kind := int(w.span.Kind())
	if kind < 0 || kind >= len(kinds) {
		w.lossy, kind = true, 0
	}
	w.member("kind", kindPrefix+kinds[kind])
	if parent := w.span.ParentSpanID(); parent.IsEmpty() {
		w.key("parent_id")
		w.raw("null")
	} else {
		w.id("parent_id", hexPrefix, parent[:])
	}
	w.links()
}

func (w *lineWriter) context(trace pcommon.TraceID, id pcommon.SpanID, state string) {
	w.key("context")
	w.raw("{")
	w.id("trace_id", hexPrefix, trace[:])
	w.id("span_id", hexPrefix, id[:])
	w.traceState(state)
	w.raw("}")
}

// noState is Python's form of an empty trace state.
const noState = "[]"

func (w *lineWriter) traceState(state string) {
	if state == "" {
		state = noState
	} else if strings.HasPrefix(state, "[") {
		w.lossy = true
	}
	w.member("trace_state", state)
}

func (w *lineWriter) links() {
	w.key("links")
	w.raw("[")
	for i, l := range w.span.Links().All() {
		w.comma(i)
		w.raw("{")
		w.context(l.TraceID(), l.SpanID(), l.TraceState().AsRaw())
		w.key("attributes")
		w.attributes(l.Attributes())
		w.count("dropped_attributes_count", l.DroppedAttributesCount())
		w.count("flags", l.Flags())
		w.raw("}")
	}
	w.raw("]")
}

func (w *lineWriter) resource(r ptrace.ResourceSpans) {
	w.key("resource")
	w.raw("{")
	w.key("attributes")
	w.attributes(r.Resource().Attributes())
	w.member("schema_url", r.SchemaUrl())
	w.count("dropped_attributes_count", r.Resource().DroppedAttributesCount())
	w.raw("}")
}

func (w *lineWriter) scope(s ptrace.ScopeSpans) {
	scope := s.Scope()
	w.key("scope")
	w.raw("{")
	w.member("name", scope.Name())
	w.member("version", scope.Version())
	if scope.Attributes().Len() > 0 {
		w.key("attributes")
		w.attributes(scope.Attributes())
	}
	if s.SchemaUrl() != "" {
		w.member("schema_url", s.SchemaUrl())
	}
	w.count("dropped_attributes_count", scope.DroppedAttributesCount())
	w.raw("}")
}

// otel writes what the shapes have no place for, if there is any.
func (w *lineWriter) otel(r ptrace.ResourceSpans, s ptrace.ScopeSpans, by string) {
	from := len(w.b)
	w.key("otel")
	w.raw("{")
	empty := len(w.b)
	if by != "" {
		w.member("writer", by)
	}
	w.count("flags", w.span.Flags())
	w.count("dropped_attributes_count", w.span.DroppedAttributesCount())
	w.count("dropped_events_count", w.span.DroppedEventsCount())
	w.count("dropped_links_count", w.span.DroppedLinksCount())
	if w.lossy {
		w.otlp(r, s)
	}
	if len(w.b) == empty {
		w.b = w.b[:from]
		return
	}
	w.raw("}")
}

// otlp writes the span as OTLP/JSON. It fails only for lack of memory, and then
// the line is what the shapes can hold.
func (w *lineWriter) otlp(r ptrace.ResourceSpans, s ptrace.ScopeSpans) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	r.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(r.SchemaUrl())
	ss := rs.ScopeSpans().AppendEmpty()
	s.Scope().CopyTo(ss.Scope())
	ss.SetSchemaUrl(s.SchemaUrl())
	span := ss.Spans().AppendEmpty()
	w.span.CopyTo(span)
	w.own.CopyTo(span.Attributes())
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		return
	}
	w.key("otlp")
	w.raw(strings.ToValidUTF8(string(text), "\uFFFD"))
}
