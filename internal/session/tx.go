package session

import (
	"context"
	"errors"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Tx is one transaction. It is used by one goroutine and ends with Commit or
// Rollback; after Yielded is true it must be rolled back and begun again.
type Tx struct {
	t        *Tracker
	sink     Sink
	seq      uint64
	now      int64
	touched  []touched
	undo     []undo
	opened   []*Call
	closed   []*Call
	moved    []move   // of calls that made progress, or cannot
	restated []*Call  // that wait for something else than before
	changed  []*Call  // in another way
	stuck    []*Call  // that were told to be
	alone    *Session // scope of messages without session and connection
	last     *entry   // the entry touched last
	yieldTo  <-chan struct{}
	counts   map[string]int64
	freed    int     // calls that were stuck and moved
	grown    int64   // bytes that calls opened before hold more than before
	done     bool    // committed or rolled back
	told     Notice  // what the sink is told of last
	ended    CallEnd // likewise
}

const (
	undoOpen undoKind = iota
	undoClose
	undoProgress
	undoID
	undoStuck
	undoFunc
)

var spareTx = sync.Pool{New: func() any { return new(Tx) }}

// Begin starts a transaction that tells sink what happens; now is the arrival
// time. again is a transaction that had to yield, or nil: it keeps its age, so
// that it gets its turn.
func (t *Tracker) Begin(now int64, sink Sink, again *Tx) *Tx {
	tx := spareTx.Get().(*Tx)
	tx.t, tx.sink, tx.now = t, sink, now
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
	clear(tx.undo)
	clear(tx.opened)
	clear(tx.closed)
	clear(tx.moved)
	*tx = Tx{touched: tx.touched[:0], undo: tx.undo[:0], opened: tx.opened[:0], closed: tx.closed[:0], moved: tx.moved[:0]}
	if max(cap(tx.touched), cap(tx.undo), cap(tx.opened), cap(tx.closed), cap(tx.moved)) <= spareMax {
		spareTx.Put(tx)
	}
}

// spareMax keeps a transaction that was large from staying so.
const spareMax = 64

// note counts something that goes against the specifications.
func (tx *Tx) note(what string) {
	if what == "" {
		return
	}
	if tx.counts == nil {
		tx.counts = map[string]int64{}
	}
	tx.counts[what]++
}

// Counts tells what went against the specifications and how often: what this
// package names, and reasons for which messages are invalid. They are few.
func (tx *Tx) Counts() map[string]int64 { return tx.counts }

// Yielded tells whether err means that the transaction must start again.
func Yielded(err error) bool { return errors.Is(err, errYield) }

// Wait waits until what the transaction yielded to is free.
func (tx *Tx) Wait(ctx context.Context) error {
	select {
	case <-tx.yieldTo:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// touch claims the entry of that name for the transaction.
func (tx *Tx) touch(ctx context.Context, book int, name string) (*entry, error) {
	if e := tx.last; e != nil && e.book == book && e.name == name {
		return e, nil
	}
	e, mine, err := tx.t.claim(ctx, tx, book, name)
	if err != nil {
		return nil, err
	}
	if !mine {
		tx.save(e)
	}
	tx.last = e
	return e, nil
}

// save notes what e is before the transaction changes it.
func (tx *Tx) save(e *entry) {
	was := touched{entry: e, was: e.s}
	if e.s != nil {
		was.state = *e.s
	}
	tx.touched = append(tx.touched, was)
}

// Commit makes what happened last, and lets go of all sessions.
func (tx *Tx) Commit() {
	tx.done = true
	t := tx.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest = max(t.latest, tx.now)
	t.bytes += tx.grown
	tx.countStuck()
	for _, c := range tx.closed {
		t.unlist(c)
	}
	for _, c := range tx.opened {
		if !c.reported {
			t.enlist(c)
		}
	}
	for _, c := range tx.restated {
		t.relist(c, tx.now)
	}
	for _, c := range tx.changed {
		t.alterCall(c)
	}
	tx.lineUp()
	tx.letGo()
	t.bound()
}

// Rollback puts everything back as it was, and lets go of all sessions. After
// Commit it does nothing.
func (tx *Tx) Rollback() {
	if tx.done {
		return
	}
	tx.done = true
	for i := len(tx.undo) - 1; i >= 0; i-- {
		tx.undo[i].apply()
	}
	for i := range tx.touched {
		if was := &tx.touched[i]; was.was != nil {
			*was.was = was.state
		}
		tx.touched[i].entry.s = tx.touched[i].was
	}
	tx.t.mu.Lock()
	defer tx.t.mu.Unlock()
	for i := range tx.touched {
		e := tx.touched[i].entry
		if e.s == nil {
			tx.t.forget(e)
		}
		tx.t.lend(e)
		e.release()
	}
	if len(tx.touched) > 0 { // else somebody else has what waits, and will remind
		tx.t.remind()
	}
	clear(tx.touched)
	tx.touched = tx.touched[:0]
}

func (tx *Tx) letGo() {
	for i := range tx.touched {
		e := tx.touched[i].entry
		tx.t.settle(e)
		tx.t.alter(e)
		tx.t.lend(e)
		e.release()
	}
	clear(tx.touched)
	tx.touched = tx.touched[:0]
}

// marker is the span ID of the announcement of another span.
func (s *Session) marker(of identity.SpanID) identity.SpanID {
	return identity.Span(s.Trace, identity.Start, s.Identity, of.String())
}
