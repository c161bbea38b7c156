package window

import (
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Batch is what waits of one request: its spans, and each of its resources and
// scopes once. A batch leaves in parts, each with the metadata of the client
// that sent the request.
type Batch struct {
	td      ptrace.Traces
	client  client.Info
	shells  []shell
	spans   []Span
	bytes   int64 // of the resources and scopes
	waiting int   // spans in a window
	leaving int   // spans that leave now
	out     ptrace.Traces
	scopes  []ptrace.ScopeSpans // of out, by shell
}

// shell is where a span came from.
type shell struct {
	rs ptrace.ResourceSpans
	ss ptrace.ScopeSpans
}

// Span is one span that waits.
type Span struct {
	ptrace.Span
	batch *Batch
	next  *Span // of the same trace
	shell int32
	bytes int32
}

// NewBatch keeps all spans of td, which it owns from now on. size is about how
// many bytes the i-th of them takes.
func NewBatch(td ptrace.Traces, from client.Info, size func(i int) int64) *Batch {
	b := &Batch{td: td, client: from, spans: make([]Span, 0, td.SpanCount())}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			b.shells = append(b.shells, shell{rs, ss})
			b.bytes += shellSize(rs, ss)
			for _, span := range ss.Spans().All() {
				b.spans = append(b.spans, Span{
					Span: span, batch: b, shell: int32(len(b.shells) - 1), bytes: int32(min(size(len(b.spans)), 1<<30)), //nolint:gosec // bounded
				})
			}
		}
	}
	return b
}

// Spans are the batch's spans in the order in which they came.
func (b *Batch) Spans() []Span { return b.spans }

// Split moves the spans for which keep is true out of td into traces of their
// own, with copies of their resources and scopes. keep gets the span's place
// among all spans of td. Nothing empty is left in td.
func Split(td ptrace.Traces, keep func(i int) bool) ptrace.Traces {
	kept := ptrace.NewTraces()
	i := 0
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		var krs ptrace.ResourceSpans
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			var kss ptrace.ScopeSpans
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				if i++; !keep(i - 1) {
					return false
				}
				if krs == (ptrace.ResourceSpans{}) {
					krs = appendResource(kept, rs)
				}
				if kss == (ptrace.ScopeSpans{}) {
					kss = appendScope(krs, ss)
				}
				span.MoveTo(kss.Spans().AppendEmpty())
				return true
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return kept
}

func appendResource(td ptrace.Traces, from ptrace.ResourceSpans) ptrace.ResourceSpans {
	rs := td.ResourceSpans().AppendEmpty()
	from.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(from.SchemaUrl())
	return rs
}

func appendScope(rs ptrace.ResourceSpans, from ptrace.ScopeSpans) ptrace.ScopeSpans {
	ss := rs.ScopeSpans().AppendEmpty()
	from.Scope().CopyTo(ss.Scope())
	ss.SetSchemaUrl(from.SchemaUrl())
	return ss
}
