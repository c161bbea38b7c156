package inspectorexporter

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// line is what is written of one item. Its memory is used again.
type line struct{ text []byte }

var lines = sync.Pool{New: func() any { return new(line) }}

func newLine() *line { return lines.Get().(*line) }

// maxSpareLine is the longest line whose memory is kept for the next one.
const maxSpareLine = 1 << 20

func (l *line) release() {
	if cap(l.text) > maxSpareLine {
		return
	}
	l.text = l.text[:0]
	lines.Put(l)
}

func (l *line) add(r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span) {
	l.text = inspectorwire.AppendSpan(l.text, r, s, span, inspectorwire.ProcessWriter())
}

// open puts the span that runs, as far as it is known, before the rest.
func (l *line) open(r ptrace.ResourceSpans, s ptrace.ScopeSpans, o *sessions.Opening, trace pcommon.TraceID, start pcommon.Timestamp, m pcommon.Map) {
	span := ptrace.NewSpan()
	span.SetTraceID(trace)
	span.SetSpanID(o.Span)
	span.SetParentSpanID(o.Parent)
	span.SetName(o.Name)
	span.SetStartTimestamp(start)
	rest := len(l.text)
	l.text = inspectorwire.AppendSpanWith(l.text, r, s, span, m, inspectorwire.ProcessWriter())
	if rest > 0 {
		running := append([]byte(nil), l.text[rest:]...)
		copy(l.text[len(running):], l.text[:rest])
		copy(l.text, running)
	}
}
