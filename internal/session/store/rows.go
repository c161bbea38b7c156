package store

import "time"

// RowInterval is the least time between two states of a session that are reported.
const RowInterval = 200 * time.Millisecond

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
// arrival time, later than that of the state before.
func (tx *Tx) NextSequence(s *Session) int64 {
	more := s.More()
	more.RowAt = max(more.RowAt+1, tx.now)
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

// front returns the first one that is waited for, after dropping those before it.
func (q *rowQueue) front() (queuedRow, bool) {
	for q.head < len(q.items) {
		if first := q.items[q.head]; first.entry.rowWaits {
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
	for first, ok := t.rows.front(); ok && first.due <= tx.now && len(tx.touched) < sweepMax; first, ok = t.rows.front() {
		t.rows.drop()
		t.rows.push(first.entry, tx.now+int64(RowInterval))
		if first.entry.owner == nil {
			tx.claimFree(first.entry)
		}
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
		_, others := t.rows.front()
		e.rowWaits = true
		t.rows.push(e, now+int64(RowInterval))
		if !others {
			t.wakeSweeper() // which sleeps until what was due before
		}
	}
}
