// Package report delivers observation records to a collector or into a file. It never
// blocks the programs whose messages they hold.
package report

import (
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

const (
	slack   = 1 << 10 // more than what surrounds a message takes
	endRoom = 4 << 20 // for ends, beyond the queue's bound: 10,000 sessions
)

// Queue holds records until they are sent, in batches of one session each. It
// never holds more than its bound: further records are dropped and counted, but
// for ends of sessions, which always have room. A notice reports to the receiver
// how many records of a connection are missing, at their place. It is safe for
// concurrent use.
type Queue struct {
	bound int
	wake  chan struct{} // holds one: there is something new
	freed chan struct{} // holds one: there is more room, or nothing to wait for

	mu      sync.Mutex
	size    int
	batches []*batch          // oldest first
	open    map[string]*batch // the last one of a session, while it may grow
	gaps    map[gapKey]*gap
	total   int64     // lost in all
	spare   []byte    // of a batch that is done
	refuses bool      // the collector is away or busy: room is not worth waiting for
	hurried bool      // nothing may wait any more
	crowded time.Time // since when more than half of the room is taken; zero if it is not
}

type gapKey struct{ session, connection string }

// NewQueue makes a queue of so many bytes.
func NewQueue(bound int) *Queue {
	return &Queue{
		bound: bound, wake: make(chan struct{}, 1), freed: make(chan struct{}, 1),
		open: map[string]*batch{}, gaps: map[gapKey]*gap{},
	}
}

// Add adds a record, or drops it if there is no room; message is nil or as
// [observation.Record.Append] wants it.
func (q *Queue) Add(r *observation.Record, message []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.fits(r, len(message)) {
		q.lose(r, 1)
		return
	}
	q.add(r, message)
}

// AddWaiting is like Add, but waits for room while the collector accepts what it
// is sent. At most one goroutine may wait.
func (q *Queue) AddWaiting(r *observation.Record, message []byte) {
	q.mu.Lock()
	for !q.fits(r, len(message)) && !q.refuses && !q.hurried && len(message)+slack <= q.bound {
		q.mu.Unlock()
		<-q.freed
		q.mu.Lock()
	}
	q.mu.Unlock()
	q.Add(r, message)
}

// Waiting is a queue whose Add waits.
type Waiting struct{ *Queue }

// Add is [Queue.AddWaiting].
func (w Waiting) Add(r *observation.Record, message []byte) { w.AddWaiting(r, message) }

func (q *Queue) fits(r *observation.Record, message int) bool {
	room := q.bound
	if r.End.Present {
		room += endRoom
	}
	return q.size+message+slack <= room
}

func (q *Queue) add(r *observation.Record, message []byte) {
	if len(q.gaps) > 0 {
		q.noteBefore(r)
	}
	b := q.batchOf(r)
	before := b.bytes()
	b.add(r, message)
	q.grown(b, before)
	if r.End.Present {
		delete(q.open, r.Session) // nothing may come before the end that came after it
	}
}

// grown accounts for what was added to a batch.
func (q *Queue) grown(b *batch, before int) {
	q.size += b.bytes() - before
	if q.crowded.IsZero() && q.size > q.bound/2 {
		q.crowded = time.Now()
	}
	if full := b.full(); full || b.count == 1 {
		if full {
			delete(q.open, b.around.Session)
		}
		rouse(q.wake)
	}
}

// batchOf is the batch to which a record is added.
func (q *Queue) batchOf(r *observation.Record) *batch {
	b := q.open[r.Session]
	if b == nil {
		b = &batch{around: *r, since: time.Now(), lines: q.spare[:0]}
		q.spare = nil
		q.batches = append(q.batches, b)
		q.open[r.Session] = b
	}
	return b
}

func rouse(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// next is the oldest batch if it is time for it, or if all are to leave; nil if
// there is none. Its bytes count as held until done.
func (q *Queue) next(all bool) *batch {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for key, g := range q.gaps {
		if all || now.Sub(g.since) >= flushAfter && q.size+slack <= q.bound {
			q.note(key)
		}
	}
	if len(q.batches) == 0 {
		return nil
	}
	b, age := q.batches[0], flushAfter
	if b.full() {
		age = fullAfter
	}
	if !all && now.Sub(b.since) < age && q.crowdedFor(now) < crowdedMost {
		return nil
	}
	if q.batches = q.batches[1:]; q.open[b.around.Session] == b {
		delete(q.open, b.around.Session)
	}
	return b
}

// accepts reports whether the collector accepted the last batch; if it did not,
// nobody waits for room.
func (q *Queue) accepts(yes bool) {
	q.mu.Lock()
	q.refuses = !yes
	q.mu.Unlock()
	rouse(q.freed)
}

// hurry ends the waiting for room.
func (q *Queue) hurry() {
	q.mu.Lock()
	q.hurried = true
	q.mu.Unlock()
	rouse(q.freed)
}

// isEmpty reports whether everything was sent.
func (q *Queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.batches) == 0 && len(q.gaps) == 0
}

// isCrowded reports whether more than half of the room has been taken for a
// while.
func (q *Queue) isCrowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.crowdedFor(time.Now()) >= crowdedMost
}

func (q *Queue) crowdedFor(now time.Time) time.Duration {
	if q.crowded.IsZero() {
		return 0
	}
	return now.Sub(q.crowded)
}

// lost returns the total number of lost records.
func (q *Queue) lost() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}
