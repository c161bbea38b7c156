// Package checkpoint stores open sessions and calls, so that they survive a restart of the
// collector. A crash loses at most what changed since the last write.
package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Checkpointer writes what changes in an Engine to a storage. Sync may be called
// concurrently, also with Run and Close; the others by one goroutine at a time.
type Checkpointer struct {
	Engine *session.Engine
	Client storage.Client
	// StoppedAt is the time of the last write of the Checkpointer before this one, Unix ns, as
	// Restore found it; 0 if unknown.
	StoppedAt int64

	saving  sync.Mutex   // guards what follows, but for asked
	asked   atomic.Int64 // number of the last Sync
	synced  int64        // up to which their changes are stored, or could not be
	failure error        // of the last save for a Sync

	last    int32            // no record has a higher slot
	over    int32            // up to where records are over, and to be deleted before anything is stored
	away    int64            // ns in which nothing could be heard, in all
	written time.Time        // when the head was
	pending *session.Changes // that could not be stored yet
}

// Keys in the storage: one that says what there is, and one a record.
const (
	headKey = "sessions"
	prefix  = "sessions/"
)

func keyOf(slot int32) string { return prefix + strconv.Itoa(int(slot)) }

// slotOf is the slot of a key, 0 if it is not that of a record.
func slotOf(key string) int32 {
	digits, ok := strings.CutPrefix(key, prefix)
	slot, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil || slot < 0 || keyOf(int32(slot)) != key {
		return 0
	}
	return int32(slot)
}

// head says what there is.
type head struct {
	Last int32 `json:"last"` // no record has a higher slot
	Time int64 `json:"time"` // Unix ns until which something could be heard
	Away int64 `json:"away"` // ns until then in which nothing could be
	Over bool  `json:"over"` // the records are of what has ended since
	// Sum is the CRC-32C of the others: a storage need not notice damage, and a
	// wrong number of records could be too many to look for. 0: not known.
	Sum uint32 `json:"sum,omitempty"`
}

func (h *head) sum() uint32 {
	return crc32.Checksum(fmt.Append(nil, h.Last, h.Time, h.Away, h.Over), crc32.MakeTable(crc32.Castagnoli))
}

// Save stores what changed until now, and first what could not be stored the last
// time. What changes meanwhile has its turn the next time.
func (c *Checkpointer) Save(ctx context.Context) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	return c.save(ctx)
}

// Sync returns when everything that was committed before the call is stored, or
// could not be. Callers that wait at the same time share one write.
func (c *Checkpointer) Sync(ctx context.Context) error {
	mine := c.asked.Add(1)
	c.saving.Lock()
	defer c.saving.Unlock()
	if c.synced >= mine {
		return c.failure
	}
	upTo := c.asked.Load()
	c.failure = c.save(context.WithoutCancel(ctx)) // others may wait for it too
	c.synced = upTo
	c.Engine.CopyAlways(c.failure == nil) // copies that nobody collects would pile up
	return c.failure
}

func (c *Checkpointer) save(ctx context.Context) error {
	left := c.Engine.Changed()
	if c.pending != nil {
		left += c.pending.Count
	}
	for {
		more, taken, err := c.next(ctx)
		if left -= taken; err != nil || !more || left <= 0 {
			return err
		}
	}
}

// next stores some of what changed; more tells that there was something.
func (c *Checkpointer) next(ctx context.Context) (more bool, taken int, err error) {
	if err := c.clear(ctx); err != nil {
		return false, 0, err
	}
	if c.pending == nil {
		if c.pending, err = c.Engine.Changes(); err != nil || c.pending == nil {
			return false, 0, err
		}
	}
	if err := c.store(ctx, c.pending); err != nil {
		return false, 0, err
	}
	taken = c.pending.Count
	c.pending.Stored()
	c.pending = nil
	return true, taken, nil
}

// clear deletes the records that are over.
func (c *Checkpointer) clear(ctx context.Context) error {
	for c.over > 0 {
		var ops []*storage.Operation
		for slot := c.over; slot > max(0, c.over-readMax); slot-- {
			ops = append(ops, storage.DeleteOperation(keyOf(slot)))
		}
		left := max(0, c.over-readMax)
		if err := c.put(ctx, head{Last: left, Over: left > 0}, ops...); err != nil {
			return err
		}
		c.over = left
	}
	return nil
}

func (c *Checkpointer) store(ctx context.Context, changes *session.Changes) error {
	ops := make([]*storage.Operation, 0, len(changes.Records)+1)
	for _, r := range changes.Records {
		if r.Data == nil {
			ops = append(ops, storage.DeleteOperation(keyOf(r.Slot)))
		} else {
			ops = append(ops, storage.SetOperation(keyOf(r.Slot), r.Data))
		}
	}
	c.last = max(c.last, changes.Last)
	return c.write(ctx, ops...)
}

// write makes the changes, and notes until when the storage is true then.
func (c *Checkpointer) write(ctx context.Context, ops ...*storage.Operation) error {
	return c.put(ctx, head{Last: c.last}, ops...)
}

func (c *Checkpointer) put(ctx context.Context, h head, ops ...*storage.Operation) error {
	now := time.Now()
	h.Time, h.Away = c.Engine.Now(), c.away
	h.Sum = h.sum()
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err = c.Client.Batch(ctx, append(ops, storage.SetOperation(headKey, text))...); err == nil {
		c.written = now
	}
	return err
}

// headEvery is the interval at which it is noted that the collector still listens, though
// nothing changes.
const headEvery = time.Minute

// Run saves every interval until ctx is done, and reports each attempt that
// changes how it stands: an error, or nil when it works again.
func (c *Checkpointer) Run(ctx context.Context, every time.Duration, tell func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := c.saveAndBeat(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failed {
			failed = err != nil
			tell(err)
		}
	}
}

func (c *Checkpointer) saveAndBeat(ctx context.Context) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := c.save(ctx); err != nil || time.Since(c.written) < headEvery {
		return err
	}
	return c.write(ctx)
}

// Close saves for the last time, when nothing is heard any more. Even if nothing
// changed, what is stored is true until now.
func (c *Checkpointer) Close(ctx context.Context) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	for more := true; more; {
		var err error
		if more, _, err = c.next(ctx); err != nil {
			return fmt.Errorf("cannot store the latest state of open sessions: %w", err)
		}
	}
	if err := c.write(ctx); err != nil {
		return fmt.Errorf("cannot store when the collector stopped: %w", err)
	}
	return nil
}

// Discard notes that nothing is open, after all of it was ended because Close
// failed: what is still stored of it must not come back. That is one short value
// in the place of another, for which there may be room on a full disk; the records
// are deleted after the next start. The Checkpointer must not be used any more.
func (c *Checkpointer) Discard(ctx context.Context) error {
	h := head{Last: max(c.last, c.over)}
	h.Over = h.Last > 0
	if err := c.put(ctx, h); err != nil {
		return fmt.Errorf("cannot store that no session is open: %w", err)
	}
	return nil
}
