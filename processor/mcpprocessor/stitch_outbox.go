package mcpprocessor

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// outbox sends what does not wait any more. What the next consumer refuses for
// now stays, in order, until flush gets it through; who puts it in bounds it. It
// is safe for concurrent use.
type outbox struct {
	next      consumer.Traces
	telemetry *metadata.TelemetryBuilder
	logger    *zap.Logger
	turn      chan struct{} // full while somebody sends again
	taken     atomic.Int64  // parcels
	sending   atomic.Int64  // spans that are just being sent for the first time
	life      context.Context
	stop      context.CancelFunc // life ends: nothing is sent any more

	mu    sync.Mutex
	queue []window.Parcel
	spans int // in queue or just being sent again
	bytes int64
}

var (
	// errBusy stands for a refusal that somebody else is finding out about.
	errBusy    = errors.New("what was refused before is being sent again")
	errStopped = errors.New("the processor had to stop")
)

// send sends the parcels; the error says that one was refused, not that it is
// lost. Behind what was refused before nothing is tried.
func (o *outbox) send(parcels []window.Parcel) error {
	if len(parcels) == 0 {
		return nil
	}
	if o.waiting() {
		o.keep(parcels)
		return errBusy
	}
	o.sending.Add(spansIn(parcels))
	for i := range parcels {
		n := int64(parcels[i].Spans)
		if err := o.one(&parcels[i]); err != nil {
			o.keep(parcels[i:])
			o.sending.Add(-n - spansIn(parcels[i+1:]))
			return err
		}
		o.sending.Add(-n)
	}
	return nil
}

func spansIn(parcels []window.Parcel) (n int64) {
	for i := range parcels {
		n += int64(parcels[i].Spans)
	}
	return n
}

// flush sends what was refused before, until something is refused again. While
// somebody else does that it waits for its turn, or for the end of ctx: the next
// consumer is as slow for the one as for the other.
func (o *outbox) flush(ctx context.Context) error {
	if !o.take(ctx) {
		return ctx.Err()
	}
	defer func() { <-o.turn }()
	for {
		p, ok := o.pop()
		if !ok {
			return nil
		}
		before := p
		err := o.one(&p)
		o.sent(&before, &p, err)
		if err != nil {
			return err
		}
	}
}

// take takes the turn; if it is free, even if ctx is over.
func (o *outbox) take(ctx context.Context) bool {
	select {
	case o.turn <- struct{}{}:
		return true
	default:
	}
	select {
	case o.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// one sends one parcel. Of a parcel that is refused in part the rest is left.
func (o *outbox) one(p *window.Parcel) error {
	if o.life.Err() != nil {
		return errStopped
	}
	td := p.Traces
	if o.next.Capabilities().MutatesData {
		td = ptrace.NewTraces()
		p.Traces.CopyTo(td) // a consumer may spoil what it refuses
	}
	err := o.next.ConsumeTraces(p.Context(o.life), td)
	switch {
	case err == nil:
		o.taken.Add(1)
		return nil
	case consumererror.IsPermanent(err):
		o.drop(p.Spans)
		return nil
	}
	o.telemetry.McpProcessorStitchRefusedBatches.Add(context.Background(), 1)
	if !leave(p, err) {
		return nil
	}
	return err
}

func (o *outbox) drop(spans int) {
	o.telemetry.McpProcessorStitchDroppedSpans.Add(context.Background(), int64(spans))
	o.logger.Error("The next consumer refused spans that had waited for good; they are lost", zap.Int("spans", spans))
}

// empty gives up what is in the queue, and returns how many spans that is.
func (o *outbox) empty() (spans int) {
	for p, ok := o.pop(); ok; p, ok = o.pop() {
		o.count(-p.Spans, -p.Bytes)
		spans += p.Spans
	}
	return spans
}

func (o *outbox) keep(parcels []window.Parcel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range parcels {
		o.spans += parcels[i].Spans
		o.bytes += parcels[i].Bytes
	}
	o.queue = append(o.queue, parcels...)
}

func (o *outbox) pop() (p window.Parcel, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return p, false
	}
	p = o.queue[0]
	o.queue[0] = window.Parcel{}
	o.queue = o.queue[1:]
	return p, true
}

// sent counts what was sent again, and puts back what is left of it. Until then
// all of it is held.
func (o *outbox) sent(was, left *window.Parcel, err error) {
	if err == nil {
		o.count(-was.Spans, -was.Bytes)
		return
	}
	o.count(left.Spans-was.Spans, left.Bytes-was.Bytes)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append([]window.Parcel{*left}, o.queue...)
}

func (o *outbox) count(spans int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spans += spans
	o.bytes += bytes
}

func (o *outbox) waiting() bool {
	spans, _ := o.held()
	return spans > 0
}

// held is what was refused and is not lost.
func (o *outbox) held() (spans int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spans, o.bytes
}
