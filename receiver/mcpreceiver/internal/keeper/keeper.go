// Package keeper keeps what is open in a storage, so that it survives a restart
// of the collector, and but for the last moments a crash.
package keeper

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
)

// Keeper writes what changes in a Tracker to a storage. One goroutine may use it
// at a time.
type Keeper struct {
	Tracker *tracker.Tracker
	Client  storage.Client

	last int32 // no record has a higher place
}

// Keys in the storage: one that says what there is, and one a record.
const (
	headKey = "sessions"
	prefix  = "sessions/"
)

func keyOf(place int32) string { return prefix + strconv.Itoa(int(place)) }

// head says what there is.
type head struct {
	Last int32 `json:"last"` // no record has a higher place
	Time int64 `json:"time"` // Unix ns until which the records are true
}

// Restore brings back what was kept into the Tracker, which must be new. An error
// is the storage's: then nothing came back, and nothing must be saved, since it
// would be in the place of what is kept.
func (k *Keeper) Restore(ctx context.Context) (tracker.Restored, error) {
	h, err := k.head(ctx)
	if err != nil {
		return tracker.Restored{}, err
	}
	k.last = h.Last
	return k.Tracker.Restore(k.records(ctx), h.Time, time.Now().UnixNano())
}

func (k *Keeper) head(ctx context.Context) (h head, err error) {
	text, err := k.Client.Get(ctx, headKey)
	if err != nil || text == nil {
		return h, err
	}
	if err = json.Unmarshal(text, &h); err != nil {
		return h, fmt.Errorf("its %q is not what this receiver writes: %w", headKey, err)
	}
	return h, nil
}

// readMax is how many records are read at once.
const readMax = 256

// records are all that there are.
func (k *Keeper) records(ctx context.Context) iter.Seq2[tracker.Record, error] {
	return func(yield func(tracker.Record, error) bool) {
		for from := int32(1); from <= k.last; from += readMax {
			ops, err := k.read(ctx, from, min(k.last, from+readMax-1))
			if err != nil {
				yield(tracker.Record{}, err)
				return
			}
			for place, op := range ops {
				if op.Value != nil && !yield(tracker.Record{Place: from + int32(place), Data: op.Value}, nil) {
					return
				}
			}
		}
	}
}

func (k *Keeper) read(ctx context.Context, from, to int32) (ops []*storage.Operation, err error) {
	for place := from; place <= to; place++ {
		ops = append(ops, storage.GetOperation(keyOf(place)))
	}
	return ops, k.Client.Batch(ctx, ops...)
}

// Save stores all that changed since the last time.
func (k *Keeper) Save(ctx context.Context) error {
	for {
		changes, err := k.Tracker.Changes()
		if err != nil || changes == nil {
			return err
		}
		if err := k.store(ctx, changes); err != nil {
			changes.Failed()
			return err
		}
		changes.Stored()
	}
}

func (k *Keeper) store(ctx context.Context, changes *tracker.Changes) error {
	ops := make([]*storage.Operation, 0, len(changes.Records)+1)
	for _, r := range changes.Records {
		if r.Data == nil {
			ops = append(ops, storage.DeleteOperation(keyOf(r.Place)))
		} else {
			ops = append(ops, storage.SetOperation(keyOf(r.Place), r.Data))
		}
	}
	k.last = max(k.last, changes.Last)
	return k.write(ctx, ops...)
}

// write makes the changes, and notes until when the storage is true then.
func (k *Keeper) write(ctx context.Context, ops ...*storage.Operation) error {
	text, err := json.Marshal(head{Last: k.last, Time: time.Now().UnixNano()})
	if err != nil {
		return err
	}
	return k.Client.Batch(ctx, append(ops, storage.SetOperation(headKey, text))...)
}

// Run saves every interval until ctx is done, and tells of each attempt that
// changes how it stands: an error, or nil when it works again.
func (k *Keeper) Run(ctx context.Context, every time.Duration, tell func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := k.Save(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failed {
			failed = err != nil
			tell(err)
		}
	}
}

// Close saves for the last time, when nothing is heard any more. Even if nothing
// changed, what is stored is true until now.
func (k *Keeper) Close(ctx context.Context) error {
	err := k.Save(ctx)
	if err == nil {
		err = k.write(ctx)
	}
	if err != nil {
		return fmt.Errorf("the latest state of open sessions could not be kept: %w", err)
	}
	return nil
}
