package stitch

import (
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// addLink links the span to another one. It reports false if the span has that
// link: its sender added it, or this processor did before the span was sent again.
func addLink(span ptrace.Span, to SpanRef) bool {
	for _, link := range span.Links().All() {
		if link.SpanID() == to.Span && link.TraceID() == to.Trace {
			return false
		}
	}
	link := span.Links().AppendEmpty()
	link.SetTraceID(to.Trace)
	link.SetSpanID(to.Span)
	return true
}

// rewrite moves a span to where its trace went. A root keeps the ids that it arrived
// with as attributes; nothing else of a span changes.
func rewrite(span ptrace.Span, to Resolution) {
	old := span.TraceID()
	if to.Final == old {
		return
	}
	span.SetTraceID(to.Final)
	if span.SpanID() == to.Root && span.ParentSpanID().IsEmpty() {
		keepOriginal(span, old)
		span.SetParentSpanID(to.Parent)
	}
}

// keepOriginal writes the ids that a root arrived with, unless another collector did.
func keepOriginal(span ptrace.Span, old pcommon.TraceID) {
	if _, has := span.Attributes().Get(mcpconv.OriginalTrace); has {
		return
	}
	id := span.SpanID()
	span.Attributes().EnsureCapacity(span.Attributes().Len() + 2)
	span.Attributes().PutStr(mcpconv.OriginalTrace, hex.EncodeToString(old[:]))
	span.Attributes().PutStr(mcpconv.OriginalSpan, hex.EncodeToString(id[:]))
}
