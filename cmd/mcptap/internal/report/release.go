package report

import (
	"slices"
	"time"
)

// done lets go of a batch of which all lines behind the first ones are lost.
func (q *Queue) done(b *batch, first int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(b)
	q.lines(b, first)
}

// lines counts the lines of a batch behind the first ones as lost.
func (q *Queue) lines(b *batch, first int) {
	b.lost(first, func(connection string, records, told int64) {
		q.total += records
		q.owe(&b.around, connection, records+told)
	})
}

// rejected lets go of a batch of which so many records are lost, whichever.
func (q *Queue) rejected(b *batch, records int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(b)
	q.lose(&b.around, records)
}

// refused lets go of a batch that is lost but for the ends in it, which are to
// be sent without it, with notices of what is missing.
func (q *Queue) refused(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(b)
	if b.hasRecords() {
		q.keepEnds(b)
		return
	}
	b.lost(0, func(_ string, records, _ int64) { q.total += records }) // or they would be refused again and again
}

// putBack is for a batch that next returned and that was not sent.
func (q *Queue) putBack(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batches = slices.Insert(q.batches, 0, b)
}

// forget counts a batch as lost, without a notice.
func (q *Queue) forget(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(b)
	b.lost(0, func(_ string, records, _ int64) { q.total += records })
}

func (q *Queue) keepEnds(b *batch) {
	if b.endCount == 0 {
		q.lines(b, 0)
		return
	}
	q.lines(b.withoutEnds(), 0)
	end := b.around
	end.End.Present = true
	q.noteBefore(&end)
	rest := q.batchOf(&b.around)
	before := rest.bytes()
	rest.takeEnds(b)
	q.grown(rest, before)
}

func (q *Queue) free(b *batch) {
	q.size -= b.bytes()
	if b.full() && cap(b.lines) <= 4*batchBytes {
		q.spare = b.lines
	}
	if q.size <= q.bound/2 {
		q.crowded = time.Time{}
	}
	rouse(q.freed)
}

// abandon drops all records; what is left are the ends of sessions, and notices
// of what is missing.
func (q *Queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.batches
	q.batches, q.open = nil, map[string]*batch{}
	for _, b := range all {
		q.free(b)
		q.keepEnds(b)
	}
}
