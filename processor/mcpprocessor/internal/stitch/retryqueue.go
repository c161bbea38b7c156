package stitch

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
)

// retryQueue sends batches that do not wait any more. Those that the next consumer
// refuses stay, in order, until Flush gets them through. The caller bounds the
// queue. It is safe for concurrent use.
type retryQueue struct {
	next      consumer.Traces
	telemetry *metadata.TelemetryBuilder
	logger    *zap.Logger
	flushing  chan struct{} // full while a flush is running
	delivered atomic.Int64  // batches
	sending   atomic.Int64  // spans that are being sent for the first time
	life      context.Context
	stop      context.CancelFunc // ends life: nothing is sent any more

	mu    sync.Mutex
	queue []batchOut
	spans int // in queue, or being sent again
	bytes int64
}

var (
	// errBusy stands for a refusal that a running flush is finding out about.
	errBusy    = errors.New("refused spans are being sent again")
	errStopped = errors.New("the processor is shutting down")
)

// newRetryQueue is an empty queue in front of next.
func newRetryQueue(next consumer.Traces, telemetry *metadata.TelemetryBuilder, logger *zap.Logger) *retryQueue {
	life, stop := context.WithCancel(context.Background())
	return &retryQueue{next: next, telemetry: telemetry, logger: logger, flushing: make(chan struct{}, 1), life: life, stop: stop}
}

// Send sends the batches. An error means that one was refused, not that it is
// lost. Nothing overtakes what is in the queue.
func (q *retryQueue) Send(out []batchOut) error {
	if len(out) == 0 {
		return nil
	}
	if q.Waiting() {
		q.Push(out)
		return errBusy
	}
	q.sending.Add(countSpans(out))
	for i := range out {
		n := int64(out[i].Spans)
		if err := q.deliver(&out[i]); err != nil {
			q.Push(out[i:])
			q.sending.Add(-n - countSpans(out[i+1:]))
			return err
		}
		q.sending.Add(-n)
	}
	return nil
}

func countSpans(out []batchOut) (n int64) {
	for i := range out {
		n += int64(out[i].Spans)
	}
	return n
}

// Flush sends the queue, until a batch is refused. While another flush is running
// it waits for that, or for the end of ctx.
func (q *retryQueue) Flush(ctx context.Context) error {
	if !q.acquire(ctx) {
		return ctx.Err()
	}
	defer func() { <-q.flushing }()
	for {
		b, ok := q.pop()
		if !ok {
			return nil
		}
		before := b
		err := q.deliver(&b)
		q.finish(&before, &b, err)
		if err != nil {
			return err
		}
	}
}

// acquire succeeds if no flush is running, even if ctx is over.
func (q *retryQueue) acquire(ctx context.Context) bool {
	select {
	case q.flushing <- struct{}{}:
		return true
	default:
	}
	select {
	case q.flushing <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// deliver sends one batch. If it is refused in part, the refused part is left.
func (q *retryQueue) deliver(b *batchOut) error {
	if q.life.Err() != nil {
		return errStopped
	}
	td := b.Traces
	if q.next.Capabilities().MutatesData {
		td = ptrace.NewTraces()
		b.Traces.CopyTo(td) // a consumer may change what it refuses
	}
	err := q.next.ConsumeTraces(b.Context(q.life), td)
	switch {
	case err == nil:
		q.delivered.Add(1)
		return nil
	case consumererror.IsPermanent(err):
		q.telemetry.McpProcessorStitchDroppedSpans.Add(context.Background(), int64(b.Spans))
		q.logger.Error("The next consumer permanently rejected spans that had waited; they are dropped", zap.Int("spans", b.Spans))
		return nil
	}
	q.telemetry.McpProcessorStitchRefusedBatches.Add(context.Background(), 1)
	if !keepRefused(b, err) {
		return nil
	}
	return err
}

// Discard empties the queue, and returns how many spans that loses.
func (q *retryQueue) Discard() (spans int) {
	for b, ok := q.pop(); ok; b, ok = q.pop() {
		q.count(-b.Spans, -b.Bytes)
		spans += b.Spans
	}
	return spans
}

// Push appends batches without trying to send them.
func (q *retryQueue) Push(out []batchOut) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range out {
		q.spans += out[i].Spans
		q.bytes += out[i].Bytes
	}
	q.queue = append(q.queue, out...)
}

func (q *retryQueue) pop() (b batchOut, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return b, false
	}
	b = q.queue[0]
	q.queue[0] = batchOut{}
	q.queue = q.queue[1:]
	return b, true
}

// finish counts a batch that was sent again, and puts back what is left of it. All
// of it counts as held until then.
func (q *retryQueue) finish(before, left *batchOut, err error) {
	if err == nil {
		q.count(-before.Spans, -before.Bytes)
		return
	}
	q.count(left.Spans-before.Spans, left.Bytes-before.Bytes)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append([]batchOut{*left}, q.queue...)
}

func (q *retryQueue) count(spans int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spans += spans
	q.bytes += bytes
}

// Waiting reports whether spans were refused and are not lost.
func (q *retryQueue) Waiting() bool {
	spans, _ := q.Held()
	return spans > 0
}

// Held returns how much was refused and is not lost.
func (q *retryQueue) Held() (spans int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.spans, q.bytes
}

// Stop makes the queue send nothing any more; what is being sent is given up.
func (q *retryQueue) Stop() { q.stop() }

// Delivered counts the batches that were accepted.
func (q *retryQueue) Delivered() int64 { return q.delivered.Load() }

// Sending counts the spans that are being sent for the first time.
func (q *retryQueue) Sending() int64 { return q.sending.Load() }

// keepRefused reduces the batch to the part that the error says was refused, and
// reports whether anything is left. An error with more spans than the batch had is
// about something else.
func keepRefused(b *batchOut, err error) bool {
	part, ok := errors.AsType[consumererror.Traces](err)
	if !ok {
		return true
	}
	if n := part.Data().SpanCount(); n < b.Spans {
		b.Bytes = b.Bytes * int64(n) / int64(b.Spans)
		b.Traces, b.Spans = part.Data(), n
	}
	return b.Spans > 0
}
