package store

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// sweepMax bounds how many sessions and calls one sweep ends, and with them the
// size of what a pipeline gets at once.
const sweepMax = 256

// Wake holds a token when there is something due before Next says so.
func (t *Table) Wake() <-chan struct{} { return t.wake }

// Next is the arrival time at which something will be due, false if nothing is
// open that could expire.
func (t *Table) Next() (ns int64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var e earliest
	if n := t.idle.Front(); n != nil {
		e.add(t.heardAt(n.Value.seen) + int64(t.opt.IdleTimeout))
	}
	if n := t.calls.Front(); n != nil {
		e.add(t.heardAt(n.Value.Arrival) + int64(t.opt.CallTimeout))
	}
	if n := t.still.Front(); n != nil {
		e.add(t.heardAt(n.Value.ProgressArrival) + int64(t.opt.StuckAfter))
	}
	if len(t.due) > 0 {
		e.add(t.due[0].due)
	}
	if first, ok := t.rows.front(rowWaits); ok {
		e.add(first.due)
	}
	if first, ok := t.beats.front(rowBeats); ok {
		e.add(first.due)
	}
	for kind := range t.watch {
		if host := quietest(t, kind); host != nil {
			e.add(t.heardAt(host.alive) + stalledAfter(t, kind))
		}
	}
	return e.ns, e.ok
}

// earliest is the earliest of some times.
type earliest struct {
	ns int64
	ok bool // there is one
}

func (e *earliest) add(ns int64) {
	if !e.ok || ns < e.ns {
		e.ns, e.ok = ns, true
	}
}

// Due lists sessions and calls that are to be ended or reported.
type Due struct {
	Evicted []*Session
	Idle    []*Session
	Timed   []*Call // longer open than a call may be
	Excess  []*Call // too many
	Expired []*Call // past their deadlines
	Stuck   []*Call
	Stalled []Silent
	Revived []Silent
}

// Due claims what is due now and free, bounded; found is false if nothing is.
func (tx *Tx) Due() (d Due, found bool) {
	t := tx.t
	t.mu.Lock()
	defer t.mu.Unlock()
	d.Evicted = gather(tx, &t.evicted, nil)
	d.Idle = gather(tx, &t.idle, func(e *Entry) bool {
		return t.heardAt(e.seen)+int64(t.opt.IdleTimeout) <= tx.now
	})
	d.Timed = gatherCalls(tx, &t.calls, func(c *Call) bool {
		return t.heardAt(c.Arrival)+int64(t.opt.CallTimeout) <= tx.now
	})
	d.Excess = excess(tx)
	d.Expired = gatherDue(tx)
	d.Stuck = gatherCalls(tx, &t.still, func(c *Call) bool {
		return t.heardAt(c.ProgressArrival)+int64(t.opt.StuckAfter) <= tx.now
	})
	d.Stalled = gatherStalled(tx)
	d.Revived = gatherRevived(tx)
	gatherRows(tx)
	gatherBeats(tx)
	return d, len(tx.touched) > 0
}

// AllOpen claims open sessions, evicted ones apart, bounded; found is false if there
// are none. It is for shutdown, when nothing else works on the Table.
func (tx *Tx) AllOpen() (evicted, open []*Session, found bool) {
	t := tx.t
	t.mu.Lock()
	defer t.mu.Unlock()
	evicted = gather(tx, &t.evicted, nil)
	open = gather(tx, &t.lru, nil)
	return evicted, open, len(tx.touched) > 0
}

// gather claims the entries at the front of l that are due and free. The caller
// holds t.mu.
func gather(tx *Tx, l *intrusive.List[*Entry], due func(*Entry) bool) (found []*Session) {
	for n := l.Front(); n != nil && len(tx.touched) < sweepMax; n = n.Next() {
		e := n.Value
		if due != nil && !due(e) {
			break
		}
		if e.owner == nil {
			found = append(found, tx.claimFree(e).s)
		}
	}
	return found
}

// mine claims the call's entry if it is free, and reports whether the call is to
// be worked on. The caller holds t.mu.
func mine(tx *Tx, c *Call) bool {
	if c.entry.owner == nil {
		tx.claimFree(c.entry)
	}
	return c.entry.owner == tx && c.entry.s.Open()
}

// gatherCalls claims the entries of the calls at the front of l that are due.
// The caller holds t.mu.
func gatherCalls(tx *Tx, l *intrusive.List[*Call], due func(*Call) bool) (found []*Call) {
	for n := l.Front(); n != nil && due(n.Value) && len(tx.touched) < sweepMax && len(found) < sweepMax; n = n.Next() {
		if mine(tx, n.Value) {
			found = append(found, n.Value)
		}
	}
	return found
}

// gatherDue claims the entries of the calls whose deadlines have passed, as many
// as one sweep may end. The caller holds t.mu.
func gatherDue(tx *Tx) (found []*Call) {
	t := tx.t
	var passed []*Call
	for len(t.due) > 0 && t.due[0].due <= tx.now && len(tx.touched) < sweepMax && len(passed) < sweepMax {
		c := t.due[0]
		heap.Pop(&t.due)
		passed = append(passed, c)
		if mine(tx, c) {
			found = append(found, c)
		}
	}
	for _, c := range passed { // they stay until the transaction is committed
		heap.Push(&t.due, c)
	}
	slices.SortFunc(found, func(a, b *Call) int { return cmp.Or(cmp.Compare(a.due, b.due), InOrder(a, b)) })
	return found
}

// excess claims the oldest calls that are over the limits, those whose replies may be
// lost first, and those that may take any time last. The caller holds t.mu.
func excess(tx *Tx) (found []*Call) {
	t := tx.t
	calls, bytes := t.openCalls()-t.opt.MaxOpenCalls, t.bytes-t.opt.MaxOpenBytes
	over := func(c *Call) bool {
		if calls <= 0 && bytes <= 0 {
			return false
		}
		if owner := c.entry.owner; owner == nil || owner == tx { // else its bytes may just change
			calls--
			bytes -= c.Bytes
		}
		return true
	}
	for _, l := range t.inTheWay() {
		found = append(found, gatherCalls(tx, l, over)...)
	}
	return found
}
