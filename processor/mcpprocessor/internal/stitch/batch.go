package stitch

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// heldBatch is the waiting spans of one request, with each of their resources and
// scopes once. A batch leaves in parts, each with the metadata of the client that
// sent the request.
type heldBatch struct {
	td      ptrace.Traces
	client  client.Info
	origins []origin
	spans   []waitingSpan
	bytes   int64 // of the resources and scopes
	waiting int   // spans in a window
	leaving int   // spans in an outgoing; while it is flushed, the number of the part
	out     ptrace.Traces
	scopes  []ptrace.ScopeSpans // of out, by origin
}

// origin is the resource and the scope that a span arrived with.
type origin struct {
	rs ptrace.ResourceSpans
	ss ptrace.ScopeSpans
}

// waitingSpan is one waiting span.
type waitingSpan struct {
	ptrace.Span
	batch  *heldBatch
	next   *waitingSpan // of the same trace
	origin int32
	bytes  int32
}

// newHeldBatch takes all spans of td, which it owns from now on. size returns about
// how many bytes of memory the i-th of them uses.
func newHeldBatch(td ptrace.Traces, from client.Info, size func(i int) int64) *heldBatch {
	b := &heldBatch{td: td, client: from, spans: make([]waitingSpan, 0, td.SpanCount())}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			b.origins = append(b.origins, origin{rs, ss})
			b.bytes += originSize(rs, ss)
			for _, span := range ss.Spans().All() {
				b.spans = append(b.spans, waitingSpan{
					Span: span, batch: b, origin: int32(len(b.origins) - 1), bytes: int32(min(size(len(b.spans)), 1<<30)), //nolint:gosec // bounded
				})
			}
		}
	}
	return b
}

// Spans returns the batch's spans in the order in which they arrived.
func (b *heldBatch) Spans() []waitingSpan { return b.spans }

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

// batchOut is the part of one batch that leaves at one time.
type batchOut struct {
	Traces ptrace.Traces
	Spans  int
	Bytes  int64
	client client.Info
}

// Context adds the metadata of the client that sent the spans to ctx.
func (b *batchOut) Context(ctx context.Context) context.Context {
	return client.NewContext(ctx, b.client)
}

// outgoing collects spans that leave together. The zero value is ready.
type outgoing struct {
	spans   []*waitingSpan
	batches []*heldBatch
}

// Add adds a span, which must not be in a window any more.
func (o *outgoing) Add(s *waitingSpan) {
	if s.batch.leaving == 0 {
		o.batches = append(o.batches, s.batch)
	}
	s.batch.leaving++
	o.spans = append(o.spans, s)
}

// Empty reports whether nothing leaves.
func (o *outgoing) Empty() bool { return len(o.spans) == 0 }

// Flush returns the spans by the batch that they arrived in, and forgets them. A
// batch that leaves whole is not copied.
func (o *outgoing) Flush() []batchOut {
	if o.Empty() {
		return nil
	}
	out := make([]batchOut, len(o.batches))
	for i, b := range o.batches {
		out[i] = batchOut{Traces: b.open(), Spans: b.leaving, Bytes: b.bytes, client: b.client}
		b.leaving = i
	}
	for _, s := range o.spans {
		out[s.batch.leaving].Bytes += int64(s.bytes)
		s.leave()
	}
	for _, b := range o.batches {
		b.close()
	}
	*o = outgoing{}
	return out
}

// open returns the traces that the leaving spans of the batch will be in.
func (b *heldBatch) open() ptrace.Traces {
	if b.leaving == len(b.spans) {
		return b.td
	}
	b.out = ptrace.NewTraces()
	b.scopes = make([]ptrace.ScopeSpans, len(b.origins))
	return b.out
}

func (b *heldBatch) close() {
	b.out, b.scopes, b.leaving = ptrace.Traces{}, nil, 0
}

// leave moves the span out of its batch, unless the whole batch leaves.
func (s *waitingSpan) leave() {
	b := s.batch
	if b.scopes == nil {
		return
	}
	if b.scopes[s.origin] == (ptrace.ScopeSpans{}) {
		from := b.origins[s.origin]
		b.scopes[s.origin] = appendScope(appendResource(b.out, from.rs), from.ss)
	}
	s.MoveTo(b.scopes[s.origin].Spans().AppendEmpty())
}

// splitTraces moves the spans for which keep is true out of td into traces of their
// own, with copies of their resources and scopes. keep gets the number of the span
// among all spans of td. No empty resource or scope is left in td.
func splitTraces(td ptrace.Traces, keep func(i int) bool) ptrace.Traces {
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
