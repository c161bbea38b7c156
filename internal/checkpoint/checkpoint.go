// Package checkpoint keeps what is open in a storage, so that it survives a restart
// of the collector, and but for the last moments a crash.
package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Keeper writes what changes in a Tracker to a storage. One goroutine may use it
// at a time.
type Keeper struct {
	Tracker *session.Tracker
	Client  storage.Client

	last    int32            // no record has a higher place
	away    int64            // ns in which nothing could be heard, in all
	written time.Time        // when the head was
	pending *session.Changes // that could not be stored yet
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
	Time int64 `json:"time"` // Unix ns until which something could be heard
	Away int64 `json:"away"` // ns until then in which nothing could be
}

// Restore brings back what was kept into the Tracker, which must be new. An error
// is the storage's: then nothing came back, and nothing must be saved, since it
// would be in the place of what is kept.
func (k *Keeper) Restore(ctx context.Context) (session.Restored, error) {
	h, err := k.head(ctx)
	if err != nil {
		return session.Restored{}, err
	}
	now := time.Now().UnixNano()
	k.last = h.Last
	if h.Time != 0 {
		k.away = h.Away + max(0, now-h.Time)
	}
	return k.Tracker.Restore(k.records(ctx), k.away, now)
}

func (k *Keeper) head(ctx context.Context) (h head, err error) {
	text, err := k.Client.Get(ctx, headKey)
	if err != nil || text == nil {
		return h, err
	}
	if err = json.Unmarshal(text, &h); err == nil && h.Last < 0 {
		err = errors.New("it has a negative number of records")
	}
	if err != nil {
		return h, fmt.Errorf("its %q is not what this receiver writes: %w", headKey, err)
	}
	return h, nil
}

// readMax is how many records are read at once.
const readMax = 256

// records are all that there are.
func (k *Keeper) records(ctx context.Context) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		for from := 1; from <= int(k.last); from += readMax {
			ops, err := k.read(ctx, from, min(int(k.last), from+readMax-1))
			if err != nil {
				yield(session.Record{}, err)
				return
			}
			for place, op := range ops {
				if op.Value != nil && !yield(session.Record{Place: int32(from + place), Data: op.Value}, nil) {
					return
				}
			}
		}
	}
}

func (k *Keeper) read(ctx context.Context, from, to int) (ops []*storage.Operation, err error) {
	for place := from; place <= to; place++ {
		ops = append(ops, storage.GetOperation(keyOf(int32(place)))) //nolint:gosec // at most last
	}
	return ops, k.Client.Batch(ctx, ops...)
}

// Save stores what changed until now, and first what could not be stored the last
// time. What changes meanwhile has its turn the next time.
func (k *Keeper) Save(ctx context.Context) error {
	for left := k.Tracker.Changed(); ; {
		more, taken, err := k.next(ctx)
		if left -= taken; err != nil || !more || left <= 0 {
			return err
		}
	}
}

// next stores some of what changed; more tells that there was something.
func (k *Keeper) next(ctx context.Context) (more bool, taken int, err error) {
	if k.pending == nil {
		if k.pending, err = k.Tracker.Changes(); err != nil || k.pending == nil {
			return false, 0, err
		}
	}
	if err := k.store(ctx, k.pending); err != nil {
		return false, 0, err
	}
	taken = k.pending.Taken
	k.pending.Stored()
	k.pending = nil
	return true, taken, nil
}

func (k *Keeper) store(ctx context.Context, changes *session.Changes) error {
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
	now := time.Now()
	text, err := json.Marshal(head{Last: k.last, Time: now.UnixNano(), Away: k.away})
	if err != nil {
		return err
	}
	if err = k.Client.Batch(ctx, append(ops, storage.SetOperation(headKey, text))...); err == nil {
		k.written = now
	}
	return err
}

// headEvery is how often it is noted that the collector still listens, though
// nothing changes.
const headEvery = time.Minute

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
		if err == nil && time.Since(k.written) >= headEvery {
			err = k.write(ctx)
		}
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
	for more := true; more; {
		var err error
		if more, _, err = k.next(ctx); err != nil {
			return fmt.Errorf("the latest state of open sessions could not be kept: %w", err)
		}
	}
	if err := k.write(ctx); err != nil {
		return fmt.Errorf("when the collector stopped could not be kept: %w", err)
	}
	return nil
}
