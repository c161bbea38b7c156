package inspectorwire

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func uint32Of(v jsonscan.Value) uint32 {
	n, ok := v.Int()
	if !ok || n < 0 || n >= 1<<32 {
		return 0
	}
	return uint32(n)
}

// contextMembers is a span context in the Python SDK's shape.
type contextMembers struct {
	traceID, spanID jsonscan.Value
	state           string
}

func contextOf(v jsonscan.Value) (ctx contextMembers) {
	for key, v := range v.Members() {
		switch key {
		case "trace_id":
			ctx.traceID = v
		case "span_id":
			ctx.spanID = v
		case "trace_state":
			ctx.state = stateOf(v.Str())
		}
	}
	return ctx
}

// stateOf reads a trace state as it is on the wire, or as the Python SDK prints
// one: ['{key=a, value=b}', …].
func stateOf(s string) string {
	if !strings.HasPrefix(s, "[") {
		return s
	}
	var pairs []string
	for _, item := range strings.Split(s, "{key=")[1:] {
		item, _, _ = strings.Cut(item, "}")
		if key, value, ok := strings.Cut(item, ", value="); ok {
			pairs = append(pairs, key+"="+value)
		}
	}
	return strings.Join(pairs, ",")
}

// otelMembers holds what the shapes have no place for.
type otelMembers struct {
	writer                           string
	flags, attributes, events, links uint32
	otlp                             jsonscan.Value
}

func otelOf(v jsonscan.Value) (o otelMembers) {
	for key, v := range v.Members() {
		switch key {
		case "writer":
			o.writer = v.Str()
		case "flags":
			o.flags = uint32Of(v)
		case "dropped_attributes_count":
			o.attributes = uint32Of(v)
		case "dropped_events_count":
			o.events = uint32Of(v)
		case "dropped_links_count":
			o.links = uint32Of(v)
		case "otlp":
			o.otlp = v
		}
	}
	return o
}

// kindOf reads SpanKind.CLIENT, SPAN_KIND_CLIENT and CLIENT; without kind, as in
// the flat shape, it is unspecified.
func kindOf(v jsonscan.Value) ptrace.SpanKind {
	name := strings.TrimPrefix(strings.TrimPrefix(v.Str(), kindPrefix), "SPAN_KIND_")
	for i, k := range kinds {
		if k == name {
			return ptrace.SpanKind(i)
		}
	}
	return ptrace.SpanKindUnspecified
}

func statusOf(v jsonscan.Value, to ptrace.Status) {
	for key, v := range v.Members() {
		switch key {
		case "status_code":
			to.SetCode(codeOf(v.Str()))
		case "description":
			to.SetMessage(v.Str())
		}
	}
}

func codeOf(s string) ptrace.StatusCode {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "StatusCode."), "STATUS_CODE_")
	for i, name := range statusCodes {
		if name == s {
			return ptrace.StatusCode(i)
		}
	}
	return ptrace.StatusCodeUnset
}

// eventOf fills a span event; a time that cannot be read is left out.
func eventOf(v jsonscan.Value, to ptrace.SpanEvent) {
	for key, v := range v.Members() {
		switch key {
		case "name":
			to.SetName(v.Str())
		case "time", "timestamp":
			if t, ok := timestamp(v); ok {
				to.SetTimestamp(t)
			}
		case "attributes":
			attributes(v, to.Attributes())
		case "dropped_attributes_count":
			to.SetDroppedAttributesCount(uint32Of(v))
		}
	}
}

// linkOf fills a link; ids that cannot be read are left out.
func linkOf(v jsonscan.Value, to ptrace.SpanLink) {
	for key, v := range v.Members() {
		switch key {
		case "context":
			ctx := contextOf(v)
			var trace pcommon.TraceID
			var id pcommon.SpanID
			if unhex(trace[:], ctx.traceID.Str()) && unhex(id[:], ctx.spanID.Str()) {
				to.SetTraceID(trace)
				to.SetSpanID(id)
			}
			to.TraceState().FromRaw(ctx.state)
		case "attributes":
			attributes(v, to.Attributes())
		case "dropped_attributes_count":
			to.SetDroppedAttributesCount(uint32Of(v))
		case "flags":
			to.SetFlags(uint32Of(v))
		}
	}
}
