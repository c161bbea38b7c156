package store

import "time"

// RowInterval is the least time between two states of a session that are reported.
const RowInterval = 200 * time.Millisecond

// RowBeat is how often the state of a session at work is reported though nothing changes:
// two of them are at most 1.5 times as far apart.
const RowBeat = 20 * time.Second

// ReportRows makes transactions report the states of sessions, or stop to.
func (t *Table) ReportRows(on bool) { t.rowsOn.Store(on) }

// DueRows yields the open sessions that the transaction touched and whose states are
// to be reported now. The others become due [RowInterval] after the commit.
func (tx *Tx) DueRows(yield func(*Session) bool) {
	if !tx.t.rowsOn.Load() {
		return
	}
	for i := range tx.touched {
		s := tx.touched[i].entry.s
		if !s.hasRow() || tx.now-s.More().RowAt < int64(RowInterval) {
			continue
		}
		if !yield(s) {
			return
		}
	}
}

// NextSequence is the sequence of a state of the session that is reported now: the
// arrival time, later than that of the state before. The state of a session at work is
// reported every [RowBeat] again.
func (tx *Tx) NextSequence(s *Session, atWork bool) int64 {
	more := s.More()
	more.RowAt, more.AtWork = max(more.RowAt+1, tx.now), atWork
	s.Extra = &more
	return more.RowAt
}

// hasRow reports whether the session is open and shown.
func (s *Session) hasRow() bool { return s != nil && !s.Connection && s.Shown() && s.Open() }

// Shown reports whether the session has a row.
func (s *SessionRecord) Shown() bool { return s.Announced && !s.Unused }

// rowQueue holds the entries whose sessions' states are to be reported, in the order in
// which they become due. An entry that needs no report any more stays in it until then.
type rowQueue struct {
	items []queuedRow
	head  int
}

type queuedRow struct {
	entry *Entry
	due   int64 // arrival time
}

func (q *rowQueue) push(e *Entry, due int64) { q.items = append(q.items, queuedRow{e, due}) }

func rowWaits(e *Entry) bool { return e.rowWaits }
func rowBeats(e *Entry) bool { return e.rowBeats }

// front returns the first one that is waited for, after dropping those before it.
func (q *rowQueue) front(isWaited func(*Entry) bool) (queuedRow, bool) {
	for q.head < len(q.items) {
		if first := q.items[q.head]; isWaited(first.entry) {
			return first, true
		}
		q.drop()
	}
	return queuedRow{}, false
}

// drop takes the first one out.
func (q *rowQueue) drop() {
	q.items[q.head] = queuedRow{}
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	} else if q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}

// gatherRows claims the entries whose sessions' states are due. Until they are reported
// they are due again after the interval: their transaction may be rolled back, or another
// one works on them. The caller holds t.mu.
func gatherRows(tx *Tx) {
	t := tx.t
	for first, ok := t.rows.front(rowWaits); ok && first.due <= tx.now && len(tx.touched) < sweepMax; first, ok = t.rows.front(rowWaits) {
		t.rows.drop()
		t.rows.push(first.entry, tx.now+int64(RowInterval))
		if first.entry.owner == nil {
			tx.claimFree(first.entry)
		}
	}
}

// gatherBeats claims the entries whose sessions are at work, and of which nothing was
// reported for a while. The caller holds t.mu.
func gatherBeats(tx *Tx) {
	t := tx.t
	for first, ok := t.beats.front(rowBeats); ok && first.due <= tx.now && len(tx.touched) < sweepMax; first, ok = t.beats.front(rowBeats) {
		t.beats.drop()
		e := first.entry
		switch {
		case e.owner != nil: // it works on the session
		case e.s == nil, !e.s.hasRow(), !e.s.More().AtWork, !t.rowsOn.Load():
			e.rowBeats = false
			continue
		case tx.now-e.s.More().RowAt >= int64(RowBeat/2):
			tx.claimFree(e).rowAgain = true
		}
		t.beats.push(e, tx.now+int64(RowBeat))
	}
}

// lineUpRow makes the entry due whose session the transaction changed without
// reporting its state. The caller holds t.mu.
func (t *Table) lineUpRow(was *touched, now int64) {
	e := was.entry
	switch reported := e.s != nil && e.s.More().RowAt != was.state.More().RowAt; {
	case reported, !e.s.hasRow(), !t.rowsOn.Load():
		e.rowWaits = false
	case !e.rowWaits:
		_, others := t.rows.front(rowWaits)
		e.rowWaits = true
		t.rows.push(e, now+int64(RowInterval))
		if !others {
			t.wakeSweeper() // which sleeps until what was due before
		}
	}
	if e.s != nil && e.s.hasRow() && e.s.More().AtWork && !e.rowBeats {
		_, others := t.beats.front(rowBeats)
		e.rowBeats = true
		if t.beats.push(e, now+int64(RowBeat)); !others {
			t.wakeSweeper()
		}
	}
}
