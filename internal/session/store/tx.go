package store

import (
	"context"
	"errors"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// Tx is one transaction. It is used by one goroutine and ends with Commit or
// Rollback; after an error that [Yielded] knows it must be rolled back and begun
// again.
type Tx struct {
	t       *Table
	seq     uint64
	now     int64
	touched []touched
	alone   *Session // of messages without session and connection
	last    *Entry   // the entry touched last
	yieldTo <-chan struct{}
	counts  map[string]int64
	adopted map[uint64]string // sessions by the hashes of the ids of sub-agents
	facts   []*Facts          // that it changed
	done    bool              // committed or rolled back
	work    intrusive.Node[*Tx]
	edits
}

// touched holds an entry's state before the transaction.
type touched struct {
	entry *Entry
	was   *Session
	state Session // what was pointed to
}

var spareTx = sync.Pool{New: func() any { return new(Tx) }}

// Begin starts a transaction; now is the arrival time in Unix ns. again is a
// transaction that had to yield, or nil: it keeps its age, so that it gets its
// turn.
func (t *Table) Begin(now int64, again *Tx) *Tx {
	tx := spareTx.Get().(*Tx)
	tx.t, tx.now = t, now
	if again != nil {
		tx.seq = again.seq
		return tx
	}
	tx.seq = t.seq.Add(1)
	return tx
}

// Now is the arrival time.
func (tx *Tx) Now() int64 { return tx.now }

// Release gives a transaction back that was committed or rolled back, without
// which it is merely garbage. A nil one is ignored.
func (tx *Tx) Release() {
	if tx == nil {
		return
	}
	*tx = Tx{touched: tx.touched[:0], edits: tx.reset()}
	if max(cap(tx.touched), tx.size()) <= spareMax {
		spareTx.Put(tx)
	}
}

// spareMax keeps a transaction that was large from staying so.
const spareMax = 64

// Count counts something that is worth a metric, "" is nothing.
func (tx *Tx) Count(what string) {
	if what == "" {
		return
	}
	if tx.counts == nil {
		tx.counts = map[string]int64{}
	}
	tx.counts[what]++
}

// Counts returns the counters of the transaction.
func (tx *Tx) Counts() map[string]int64 { return tx.counts }

// Yielded reports whether err means that the transaction must start again.
func Yielded(err error) bool { return errors.Is(err, ErrYield) }

// Wait waits until what the transaction yielded to is free.
func (tx *Tx) Wait(ctx context.Context) error {
	select {
	case <-tx.yieldTo:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Touch claims the entry of that name. The errors are ctx's and the one that
// [Yielded] knows.
func (tx *Tx) Touch(ctx context.Context, book Book, name string) (*Entry, error) {
	if e := tx.last; e != nil && e.book == book && e.name == name {
		return e, nil
	}
	e, mine, err := tx.t.claim(ctx, tx, book, name)
	if err != nil {
		return nil, err
	}
	if !mine {
		save(tx, e)
	}
	tx.last = e
	return e, nil
}

// TouchExtra claims an entry as Touch does. What the transaction does next is of the
// entry that it touched last, as before.
func (tx *Tx) TouchExtra(ctx context.Context, book Book, name string) (*Entry, error) {
	last := tx.last
	e, err := tx.Touch(ctx, book, name)
	tx.last = last
	return e, err
}

// Alone is the scope of messages without session and connection, nil if there
// is none yet.
func (tx *Tx) Alone() *Session { return tx.alone }

// SetAlone begins that scope.
func (tx *Tx) SetAlone(s *Session) { tx.alone = s }

// Knows reports whether there is or was a session of that name.
func (tx *Tx) Knows(session string) bool {
	for i := range tx.touched {
		if e := tx.touched[i].entry; e.book == BySession && e.name == session {
			return e.s != nil
		}
	}
	return tx.t.State(session) != Unknown
}

// IsOpen reports whether there is an open session of that name.
func (tx *Tx) IsOpen(session string) bool {
	for i := range tx.touched {
		if e := tx.touched[i].entry; e.book == BySession && e.name == session {
			return e.s != nil && e.s.Open()
		}
	}
	return tx.t.State(session) == Open
}

// save notes what e is before the transaction changes it.
func save(tx *Tx, e *Entry) {
	n := len(tx.touched)
	if n < cap(tx.touched) {
		tx.touched = tx.touched[:n+1] // is empty there, and too large to be copied twice
	} else {
		tx.touched = append(tx.touched, touched{})
	}
	was := &tx.touched[n]
	was.entry, was.was = e, e.s
	if e.s != nil {
		was.state = *e.s
	}
}

// claimFree claims a free entry. The caller holds t.mu.
func (tx *Tx) claimFree(e *Entry) *Entry {
	e.owner = tx
	save(tx, e)
	return e
}

// Commit makes what happened last, and lets go of all sessions.
func (tx *Tx) Commit() {
	tx.done = true
	tx.settleFacts()
	t := tx.t
	t.mu.Lock()
	defer t.mu.Unlock()
	said := tx.work.Listed()
	tx.work.Leave()
	t.latest = max(t.latest, tx.now)
	t.bytes += tx.grown
	countStuck(tx)
	for _, c := range tx.closed {
		t.unlist(c)
	}
	for _, c := range tx.opened {
		if !c.Ended {
			t.enlist(c)
		}
	}
	for _, c := range tx.requeue {
		t.relist(c, tx.now)
	}
	for _, c := range tx.edited {
		t.dirty.markDirtyCall(c)
	}
	lineUpProgressed(tx)
	t.dirty.copyCalls(tx.opened)
	t.dirty.copyCalls(tx.edited)
	for i := range tx.touched {
		e := tx.touched[i].entry
		if said {
			noteSign(t, e)
		}
		t.reindex(e)
		t.lineUpRow(&tx.touched[i], tx.now)
		t.dirty.markDirty(e)
		t.dirty.snapshotOnRelease(e)
		e.release()
		lineUpRevived(t, e)
	}
	forgetTouched(tx)
	t.bound()
}

// Rollback puts everything back as it was, and lets go of all sessions. After
// Commit it does nothing.
func (tx *Tx) Rollback() {
	if tx.done {
		return
	}
	tx.done = true
	tx.takeBackFacts()
	tx.undo()
	for i := range tx.touched {
		if was := &tx.touched[i]; was.was != nil {
			*was.was = was.state
		}
		tx.touched[i].entry.s = tx.touched[i].was
	}
	tx.t.mu.Lock()
	defer tx.t.mu.Unlock()
	tx.work.Leave()
	for i := range tx.touched {
		e := tx.touched[i].entry
		if e.s == nil {
			tx.t.forget(e)
		}
		tx.t.dirty.snapshotOnRelease(e)
		e.release()
		lineUpRevived(tx.t, e)
	}
	if len(tx.touched) > 0 { // else somebody else holds what waits, and will remind
		tx.t.remind()
	}
	forgetTouched(tx)
}

func forgetTouched(tx *Tx) {
	clear(tx.touched)
	tx.touched = tx.touched[:0]
}
