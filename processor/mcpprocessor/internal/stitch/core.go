package stitch

import (
	"context"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// core holds what a stitcher knows, under one lock, and the way out for the spans
// that it releases. It is safe for concurrent use.
type core struct {
	clock     func() int64 // ns
	telemetry *metadata.TelemetryBuilder
	retries   *retryQueue
	wake      chan struct{} // wakes the timer
	limit     quota

	mu       sync.Mutex
	mode     mode
	ledger   *ledger
	traces   *traces
	reserved quota // for spans that are about to wait
	closed   bool
}

// quota counts spans that wait, or may wait.
type quota struct {
	spans int
	bytes int64
}

func (q *quota) add(spans int, bytes int64) {
	q.spans += spans
	q.bytes += bytes
}

// do calls f under the lock, and sends the spans that it releases. What the next
// consumer refuses is in the retry queue, for the timer.
func (c *core) do(f func()) {
	if c.try(f) != nil {
		c.nudge()
	}
}

// try is do, and reports whether the next consumer accepted the spans.
func (c *core) try(f func()) error {
	out, stats := c.locked(f)
	stats.record(context.Background(), c.telemetry)
	return c.retries.Send(out)
}

func (c *core) locked(f func()) ([]batchOut, stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.now = c.clock()
	f()
	counted := c.ledger.stats
	c.ledger.stats = stats{}
	return c.traces.outgoing.Flush(), counted
}

// nudge wakes the timer: something may be due earlier than it expects.
func (c *core) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// waiting returns how much waits to be decided, or to be accepted.
func (c *core) waiting() (spans int, bytes int64) {
	var all quota
	all.add(c.retries.Held())
	c.mu.Lock()
	defer c.mu.Unlock()
	all.add(c.traces.win.Spans(), c.traces.win.Bytes())
	return all.spans, all.bytes
}
