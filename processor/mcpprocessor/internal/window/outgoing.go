package window

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BatchOut is the part of one batch that leaves at one time.
type BatchOut struct {
	Traces ptrace.Traces
	Spans  int
	Bytes  int64
	client client.Info
}

// Context adds the metadata of the client that sent the spans to ctx.
func (b *BatchOut) Context(ctx context.Context) context.Context {
	return client.NewContext(ctx, b.client)
}

// Outgoing collects spans that leave together. The zero value is ready.
type Outgoing struct {
	spans   []*Span
	batches []*Batch
}

// Add adds a span, which must not be in a window any more.
func (o *Outgoing) Add(s *Span) {
	if s.batch.leaving == 0 {
		o.batches = append(o.batches, s.batch)
	}
	s.batch.leaving++
	o.spans = append(o.spans, s)
}

// Empty reports whether nothing leaves.
func (o *Outgoing) Empty() bool { return len(o.spans) == 0 }

// Flush returns the spans by the batch that they arrived in, and forgets them. A
// batch that leaves whole is not copied.
func (o *Outgoing) Flush() []BatchOut {
	if o.Empty() {
		return nil
	}
	out := make([]BatchOut, len(o.batches))
	for i, b := range o.batches {
		out[i] = BatchOut{Traces: b.open(), Spans: b.leaving, Bytes: b.bytes, client: b.client}
		b.leaving = i
	}
	for _, s := range o.spans {
		out[s.batch.leaving].Bytes += int64(s.bytes)
		s.leave()
	}
	for _, b := range o.batches {
		b.close()
	}
	*o = Outgoing{}
	return out
}

// open returns the traces that the leaving spans of the batch will be in.
func (b *Batch) open() ptrace.Traces {
	if b.leaving == len(b.spans) {
		return b.td
	}
	b.out = ptrace.NewTraces()
	b.scopes = make([]ptrace.ScopeSpans, len(b.origins))
	return b.out
}

func (b *Batch) close() {
	b.out, b.scopes, b.leaving = ptrace.Traces{}, nil, 0
}

// leave moves the span out of its batch, unless the whole batch leaves.
func (s *Span) leave() {
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
