package stitch

import (
	"context"
	"errors"
	"fmt"
)

var (
	errFull   = errors.New("stitch: waiting spans reached max_spans or max_bytes, and the next consumer does not accept any; try again")
	errOthers = errors.New("other batches are about to use the rest")
)

// reserve makes room for the spans of the batch that wait: it releases the oldest
// traces, in the end those of the batch itself. An error means that the next
// consumer refused what was released.
func (c *core) reserve(ctx context.Context, batch items) (quota, error) {
	for i := range batch {
		if batch[i].waits {
			batch[i].size = sizeOf(batch[i].span)
		}
	}
	for {
		need, ok, err := c.tryReserve(batch)
		if ok {
			return need, nil
		}
		if err == nil {
			err = c.retries.Flush(ctx)
		}
		if err != nil {
			// Only its text: the spans that it says were refused are not of this batch.
			return quota{}, fmt.Errorf("%w: %s", errFull, err.Error())
		}
	}
}

// tryReserve returns false without an error if there may be room once the next
// consumer accepted what was released, or what it refused before.
func (c *core) tryReserve(batch items) (need quota, ok bool, err error) {
	var stuck bool
	err = c.try(func() {
		need = needed(batch)
		switch {
		case c.fits(need):
			c.reserved.add(need.spans, need.bytes)
			ok = true
		case !c.retries.Waiting(): // or that has to leave first
			stuck = !c.evict(need)
		}
	})
	if stuck {
		err = errors.Join(err, errOthers)
	}
	return need, ok, err
}

// needed returns the quota for the spans of the batch that still wait.
func needed(batch items) (need quota) {
	for i := range batch {
		if it := &batch[i]; it.waits && !it.release() {
			need.add(1, it.size)
		}
	}
	return need
}

func (c *core) fits(need quota) bool {
	need.add(c.retries.Held())
	need.add(c.traces.win.Spans()+c.reserved.spans, c.traces.win.Bytes()+c.reserved.bytes)
	return need.spans <= c.limit.spans && need.bytes <= c.limit.bytes
}

// fewTraces is the number of traces without spans that are released at once.
const fewTraces = 64

// evict releases the oldest traces until there is room, or until the batch needs
// less. It is false if nothing waits.
func (c *core) evict(need quota) bool {
	for i := 0; i < fewTraces && !c.fits(need); {
		before := c.traces.win.Spans()
		if !c.traces.evict() {
			return i > 0 || !c.traces.outgoing.Empty()
		}
		if c.traces.win.Spans() == before {
			i++
		}
	}
	return true
}

// bound releases the oldest traces if there are more than can wait: batches that
// were refused leave traces without spans.
func (c *core) bound() {
	for more := true; more && c.traces.win.Len() > 2*c.limit.spans; {
		more = c.traces.evict()
	}
}

func (c *core) unreserve(q quota) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reserved.add(-q.spans, -q.bytes)
}
