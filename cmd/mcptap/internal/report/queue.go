// Package report takes observation records to a collector or into a file,
// without ever making those wait who have records.
package report

import (
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A batch is one POST; a receiver takes at most 10,000 records at once.
const (
	batchBytes   = 256 << 10
	batchRecords = 2000
)

// batch is lines of one session.
type batch struct {
	around  observation.Record // of its first record
	since   time.Time
	lines   []byte
	records int
}

func (b *batch) full() bool { return len(b.lines) >= batchBytes || b.records >= batchRecords }

// Queue holds records until they are sent, in batches of one session each. It
// never holds more than its bound: what comes then is dropped and counted. It
// is safe for concurrent use.
type Queue struct {
	bound int
	wake  chan struct{} // holds one: there is something new

	mu      sync.Mutex
	size    int
	batches []*batch          // oldest first
	open    map[string]*batch // the last one of a session, while it may grow
	dropped int64             // since they were last told
	total   int64             // dropped in all
	spare   []byte            // of a batch that is done
}

// NewQueue makes a queue of so many bytes.
func NewQueue(bound int) *Queue {
	return &Queue{bound: bound, wake: make(chan struct{}, 1), open: map[string]*batch{}}
}

// Add takes a record; message is nil or as [observation.Record.Append] wants it.
func (q *Queue) Add(r *observation.Record, message []byte) {
	q.mu.Lock()
	if q.size+len(message)+slack > q.bound {
		q.drop(1)
		q.mu.Unlock()
		return
	}
	b, fresh := q.batchOf(r)
	before := cap(b.lines)
	if fresh {
		before, q.spare = 0, nil
	}
	b.lines = r.Append(b.lines, message)
	b.records++
	q.size += cap(b.lines) - before
	if fresh {
		q.batches = append(q.batches, b)
		q.open[r.Session] = b
	}
	full := b.full()
	if full {
		delete(q.open, r.Session)
	}
	q.mu.Unlock()
	if fresh || full {
		q.rouse()
	}
}

// slack is more than what surrounds a message takes.
const slack = 1 << 10

// batchOf is the batch for the record, and whether it is a new one.
func (q *Queue) batchOf(r *observation.Record) (b *batch, fresh bool) {
	if b = q.open[r.Session]; b != nil {
		return b, false
	}
	return &batch{around: *r, since: time.Now(), lines: q.spare[:0]}, true
}

// Dropped counts records that got lost elsewhere.
func (q *Queue) Dropped(n int64) {
	if n > 0 {
		q.mu.Lock()
		q.drop(n)
		q.mu.Unlock()
	}
}

func (q *Queue) drop(n int64) {
	q.dropped += n
	q.total += n
}

func (q *Queue) rouse() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next is the oldest batch if it is full or was begun before a time, and how
// many records were dropped that nobody was told of; nil if there is none. It
// counts as held until done.
func (q *Queue) next(before time.Time) (b *batch, dropped int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.batches) == 0 {
		return nil, 0
	}
	b = q.batches[0]
	if !b.full() && b.since.After(before) {
		return nil, 0
	}
	if q.batches = q.batches[1:]; q.open[b.around.Session] == b {
		delete(q.open, b.around.Session)
	}
	dropped, q.dropped = q.dropped, 0
	return b, dropped
}

// done lets go of a batch. untold are dropped records that the next batch has
// to tell of.
func (q *Queue) done(b *batch, untold int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.size -= cap(b.lines)
	if b.full() && cap(b.lines) <= 4*batchBytes {
		q.spare = b.lines
	}
	q.dropped += untold
}

// isEmpty tells whether all was taken.
func (q *Queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.batches) == 0
}

// lost is how many records were dropped in all.
func (q *Queue) lost() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}
