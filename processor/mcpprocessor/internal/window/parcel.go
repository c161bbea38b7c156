package window

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Parcel is what leaves of one batch at one time.
type Parcel struct {
	Traces ptrace.Traces
	Spans  int
	Bytes  int64
	client client.Info
}

// Context carries the metadata of the client that sent the spans.
func (p *Parcel) Context(ctx context.Context) context.Context {
	return client.NewContext(ctx, p.client)
}

// Leaving collects spans that leave together. The zero value is ready.
type Leaving struct {
	spans   []*Span
	batches []*Batch
}

// Add puts a span on the list. It must not wait any more.
func (l *Leaving) Add(s *Span) {
	if s.batch.leaving == 0 {
		l.batches = append(l.batches, s.batch)
	}
	s.batch.leaving++
	l.spans = append(l.spans, s)
}

// Empty reports whether nothing leaves.
func (l *Leaving) Empty() bool { return len(l.spans) == 0 }

// Pack makes a parcel of each batch that something leaves of, and empties the
// list. A batch that leaves whole is not copied.
func (l *Leaving) Pack() []Parcel {
	if l.Empty() {
		return nil
	}
	parcels := make([]Parcel, len(l.batches))
	for i, b := range l.batches {
		parcels[i] = Parcel{Traces: b.open(), Spans: b.leaving, Bytes: b.bytes, client: b.client}
		b.leaving = i // from here on: its parcel
	}
	for _, s := range l.spans {
		parcels[s.batch.leaving].Bytes += int64(s.bytes)
		s.leave()
	}
	for _, b := range l.batches {
		b.close()
	}
	*l = Leaving{}
	return parcels
}

// open is what the leaving spans of the batch will be in.
func (b *Batch) open() ptrace.Traces {
	if b.leaving == len(b.spans) {
		return b.td
	}
	b.out = ptrace.NewTraces()
	b.scopes = make([]ptrace.ScopeSpans, len(b.shells))
	return b.out
}

func (b *Batch) close() {
	b.out, b.scopes, b.leaving = ptrace.Traces{}, nil, 0
}

// leave moves the span out of its batch, unless the whole batch goes.
func (s *Span) leave() {
	b := s.batch
	if b.scopes == nil {
		return
	}
	if b.scopes[s.shell] == (ptrace.ScopeSpans{}) {
		from := b.shells[s.shell]
		b.scopes[s.shell] = appendScope(appendResource(b.out, from.rs), from.ss)
	}
	s.MoveTo(b.scopes[s.shell].Spans().AppendEmpty())
}
