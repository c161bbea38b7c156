package window

import (
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Batch is the waiting spans of one request, with each of their resources and
// scopes once. A batch leaves in parts, each with the metadata of the client that
// sent the request.
type Batch struct {
	td      ptrace.Traces
	client  client.Info
	origins []origin
	spans   []Span
	bytes   int64 // of the resources and scopes
	waiting int   // spans in a window
	leaving int   // spans in an Outgoing; while it is flushed, the number of the part
	out     ptrace.Traces
	scopes  []ptrace.ScopeSpans // of out, by origin
}

// origin is the resource and the scope that a span arrived with.
type origin struct {
	rs ptrace.ResourceSpans
	ss ptrace.ScopeSpans
}

// Span is one waiting span.
type Span struct {
	ptrace.Span
	batch  *Batch
	next   *Span // of the same trace
	origin int32
	bytes  int32
}

// NewBatch takes all spans of td, which it owns from now on. size returns about
// how many bytes of memory the i-th of them uses.
func NewBatch(td ptrace.Traces, from client.Info, size func(i int) int64) *Batch {
	b := &Batch{td: td, client: from, spans: make([]Span, 0, td.SpanCount())}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			b.origins = append(b.origins, origin{rs, ss})
			b.bytes += originSize(rs, ss)
			for _, span := range ss.Spans().All() {
				b.spans = append(b.spans, Span{
					Span: span, batch: b, origin: int32(len(b.origins) - 1), bytes: int32(min(size(len(b.spans)), 1<<30)), //nolint:gosec // bounded
				})
			}
		}
	}
	return b
}

// Spans returns the batch's spans in the order in which they arrived.
func (b *Batch) Spans() []Span { return b.spans }

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
