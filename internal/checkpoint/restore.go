package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Restore brings back what was kept into the Engine, which must be new. An error
// is the storage's: then nothing came back, and nothing must be saved, since it
// would be in the place of what is kept. A head that is damaged or gone counts as
// a lost record: what the others say does without it, but for how long ago it was.
func (c *Checkpointer) Restore(ctx context.Context) (session.Restored, error) {
	h, damage, err := c.head(ctx)
	if err == nil && h.Time == 0 { // there is none that can be read
		h.Last, err = c.search(ctx)
	}
	if err != nil {
		return session.Restored{}, err
	}
	now := c.Engine.Now()
	c.last = h.Last
	if h.Over {
		c.last, c.over = 0, h.Last
	}
	if h.Time != 0 {
		c.StoppedAt = h.Time
		c.away = h.Away + now - h.Time // less than nothing if the clock was set back meanwhile
	}
	restored, err := c.Engine.Restore(c.records(ctx), c.away, now)
	if damage != nil && err == nil {
		restored.Lost++
		restored.Err = damage
	}
	return restored, err
}

// head reads what there is; it is empty if that is damaged.
func (c *Checkpointer) head(ctx context.Context) (h head, damage, err error) {
	text, err := c.Client.Get(ctx, headKey)
	if err != nil || text == nil {
		return h, nil, err
	}
	damage = json.Unmarshal(text, &h)
	switch {
	case damage != nil:
	case h.Last < 0:
		damage = errors.New("it has a negative number of records")
	case h.Sum != 0 && h.Sum != h.sum():
		damage = errors.New("its checksum is wrong")
	}
	if damage != nil {
		return head{}, fmt.Errorf("its %q is not what this receiver writes: %w", headKey, damage), nil
	}
	return h, nil, nil
}

// readMax is the number of records that are read at once, and gapMax how many slots are
// free at the most before one that is not: slots are used again from the first.
const (
	readMax = 256
	gapMax  = 64 * readMax
)

// search is the highest slot of a record, if no head says that. Most often nothing is
// kept, and a storage that can be walked tells that at once.
func (c *Checkpointer) search(ctx context.Context) (last int32, err error) {
	if walker, ok := c.Client.(storage.Walker); ok {
		err = walker.Walk(ctx, func(key string, _ []byte) ([]*storage.Operation, error) {
			last = max(last, slotOf(key))
			return nil, nil
		})
		if !errors.Is(err, errors.ErrUnsupported) {
			return last, err
		}
	}
	for from := 1; from <= int(last)+gapMax; from += readMax {
		ops, err := c.read(ctx, from, from+readMax-1)
		if err != nil {
			return 0, err
		}
		for place, op := range ops {
			if op.Value != nil {
				last = int32(from + place)
			}
		}
	}
	return last, nil
}

// records are all that there are.
func (c *Checkpointer) records(ctx context.Context) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		for from := 1; from <= int(c.last); from += readMax {
			ops, err := c.read(ctx, from, min(int(c.last), from+readMax-1))
			if err != nil {
				yield(session.Record{}, err)
				return
			}
			for slot, op := range ops {
				if op.Value != nil && !yield(session.Record{Slot: int32(from + slot), Data: op.Value}, nil) {
					return
				}
			}
		}
	}
}

func (c *Checkpointer) read(ctx context.Context, from, to int) (ops []*storage.Operation, err error) {
	for place := from; place <= to; place++ {
		ops = append(ops, storage.GetOperation(keyOf(int32(place)))) //nolint:gosec // at most last
	}
	return ops, c.Client.Batch(ctx, ops...)
}
