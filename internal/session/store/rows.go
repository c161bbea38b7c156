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

// hasRow reports whether the session is open and announced.
func (s *Session) hasRow() bool { return s != nil && !s.Connection && s.Announced && s.Open() }

// lineUpRow makes the entry due whose session the transaction changed without
// reporting its state. The caller holds t.mu.
func (t *Table) lineUpRow(was *touched, now int64) {
	e := was.entry
	switch reported := e.s != nil && e.s.More().RowAt != was.state.More().RowAt; {
	case reported, !e.s.hasRow(), !t.rowsOn.Load():
		e.row.Leave()
	case !e.row.Listed():
		e.rowDue = now + int64(RowInterval)
		first := t.rows.Len() == 0
		t.rows.MoveToBack(&e.row)
		if first {
			t.wakeSweeper() // which sleeps until what was due before
		}
	}
}
