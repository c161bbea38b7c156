package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Spans that use all of OTLP go through Jaeger alone, so that a difference in
// the other tests is never Jaeger's.
func TestJaegerLosesOnlyWhatWeKnow(t *testing.T) {
	j := startJaeger(t)
	sent := richTraces()
	client := ptraceotlp.NewGRPCClient(dial(t, j.otlp))
	_, err := client.Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(sent))
	require.NoError(t, err)

	assertSameSpans(t, asJaegerKeeps(sent), j.traces(t, traceIDs(sent)...))
}

func richTraces() ptrace.Traces {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://opentelemetry.io/schemas/1.40.0")
	rs.Resource().Attributes().PutStr("service.name", "a-service")
	rs.Resource().Attributes().PutInt("a.number", 7)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl("https://opentelemetry.io/schemas/1.40.0")
	ss.Scope().SetName("a/scope")
	ss.Scope().SetVersion("1.2.3")
	ss.Scope().Attributes().PutStr("of.scope", "lost")
	for kind := ptrace.SpanKindInternal; kind <= ptrace.SpanKindConsumer; kind++ {
		fillSpan(ss.Spans().AppendEmpty(), kind)
	}
	other := traces.ResourceSpans().AppendEmpty()
	other.Resource().Attributes().PutStr("service.name", "another-service")
	bare := other.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	bare.SetTraceID(pcommon.TraceID{2})
	bare.SetSpanID(pcommon.SpanID{2})
	bare.SetName("bare")
	return traces
}

func fillSpan(span ptrace.Span, kind ptrace.SpanKind) {
	start := time.Date(2026, 2, 19, 16, 0, 0, 123456789, time.UTC)
	span.SetTraceID(pcommon.TraceID{1, 15: 9})
	span.SetSpanID(pcommon.SpanID{1, 7: byte(kind)})
	span.SetParentSpanID(pcommon.SpanID{1, 7: byte(kind) - 1})
	span.SetName("span of kind " + kind.String())
	span.SetKind(kind)
	span.SetFlags(0x301)
	span.TraceState().FromRaw("vendor=1")
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(kind) * time.Nanosecond)))
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage("it failed — with “quotes”")
	fillAttributes(span.Attributes())
	for range 2 {
		event := span.Events().AppendEmpty()
		event.SetName("progress")
		event.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(1)))
		fillAttributes(event.Attributes())
	}
	for i := range byte(2) {
		link := span.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID{3 + i})
		link.SetSpanID(pcommon.SpanID{3 + i})
		link.SetFlags(1)
		link.TraceState().FromRaw("vendor=2")
		link.Attributes().PutStr("of.link", "lost")
	}
}

func fillAttributes(attributes pcommon.Map) {
	attributes.PutStr("text", "Grüße, 世界 😀")
	attributes.PutStr("empty", "")
	attributes.PutInt("int", -1<<62)
	attributes.PutDouble("double", 0.1)
	attributes.PutBool("bool", true)
	list := attributes.PutEmptySlice("list")
	list.AppendEmpty().SetStr("a")
	list.AppendEmpty().SetStr("b")
	attributes.PutEmptyMap("map").PutInt("k", 1)
}
