package session

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// sweepMax bounds how many sessions and calls one Sweep ends, and with them the
// size of what a pipeline gets at once.
const sweepMax = 256

// Wake holds a token when Sweep has work before Next says so.
func (t *Tracker) Wake() <-chan struct{} { return t.wake }

// Next is the arrival time at which Sweep will have work, false if nothing is
// open that could expire.
func (t *Tracker) Next() (ns int64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var e earliest
	if n := t.idle.front; n != nil {
		e.add(n.value.seen + int64(t.opt.IdleTimeout))
	}
	if n := t.calls.front; n != nil {
		e.add(n.value.arrival + int64(t.opt.CallTimeout))
	}
	if n := t.still.front; n != nil {
		e.add(n.value.moved + int64(t.opt.StuckAfter))
	}
	if len(t.due) > 0 {
		e.add(t.due[0].due)
	}
	if host := t.quietest(); host != nil {
		e.add(host.alive + int64(t.opt.StalledAfter))
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

// Sweep tells of what does not move, and ends what is due: evicted and idle
// sessions, and calls that are too many or too old. It is false when there was
// nothing to do; otherwise the transaction must be committed, or rolled back, to
// be swept again later.
func (t *Tracker) Sweep(sink Sink, now time.Time) (*Tx, bool) {
	tx := t.Begin(now.UnixNano(), sink, nil)
	t.mu.Lock()
	evicted := tx.gather(&t.out, nil)
	idle := tx.gather(&t.idle, func(e *entry) bool {
		return e.seen+int64(t.opt.IdleTimeout) <= tx.now
	})
	timed := tx.gatherCalls(&t.calls, func(c *Call) bool {
		return c.arrival+int64(t.opt.CallTimeout) <= tx.now
	})
	excess := tx.excess()
	expired := tx.gatherDue()
	stuck := tx.gatherCalls(&t.still, func(c *Call) bool {
		return c.moved+int64(t.opt.StuckAfter) <= tx.now
	})
	stalled := tx.gatherStalled()
	t.mu.Unlock()
	for _, c := range stuck {
		tx.stick(c)
	}
	for _, found := range stalled {
		tx.stall(found.s, found.alive)
	}
	tx.endAll(evicted, mcpconv.EndEvicted, SessionEvicted)
	tx.endAll(idle, mcpconv.EndIdle, "")
	for _, c := range expired {
		tx.expire(c)
	}
	for _, c := range timed {
		tx.timeOut(c)
	}
	for _, c := range excess {
		tx.evict(c)
	}
	return tx, len(tx.touched) > 0
}

// Drain ends up to sweepMax open sessions, as Sweep does; false when none is
// left. It is for shutdown, when nothing else works on the Tracker.
func (t *Tracker) Drain(sink Sink, now time.Time) (*Tx, bool) {
	tx := t.Begin(now.UnixNano(), sink, nil)
	t.mu.Lock()
	evicted := tx.gather(&t.out, nil)
	open := tx.gather(&t.lru, nil)
	t.mu.Unlock()
	tx.endAll(evicted, mcpconv.EndEvicted, SessionEvicted)
	tx.endAll(open, mcpconv.EndShutdown, "")
	return tx, len(tx.touched) > 0
}

// gather claims the entries at the front of l that are due and free. The caller
// holds t.mu.
func (tx *Tx) gather(l *list[*entry], due func(*entry) bool) (found []*entry) {
	for n := l.front; n != nil && len(tx.touched) < sweepMax; n = n.next {
		e := n.value
		if due != nil && !due(e) {
			break
		}
		if e.owner == nil {
			found = append(found, tx.own(e))
		}
	}
	return found
}

// own claims a free entry. The caller holds t.mu.
func (tx *Tx) own(e *entry) *entry {
	e.owner = tx
	tx.save(e)
	return e
}

// gatherCalls claims the entries of the calls at the front of l that are due.
// The caller holds t.mu.
func (tx *Tx) gatherCalls(l *list[*Call], due func(*Call) bool) (found []*Call) {
	for n := l.front; n != nil && due(n.value) && len(tx.touched) < sweepMax && len(found) < sweepMax; n = n.next {
		c := n.value
		if c.entry.owner == nil {
			tx.own(c.entry)
		}
		if c.entry.owner == tx && c.entry.s.ended == 0 {
			found = append(found, c)
		}
	}
	return found
}

// excess claims the oldest calls that are over the limits, those that may take
// any time last. The caller holds t.mu.
func (tx *Tx) excess() (found []*Call) {
	t := tx.t
	calls, bytes := t.calls.n+t.patient.n-t.opt.MaxOpenCalls, t.bytes-t.opt.MaxOpenBytes
	over := func(c *Call) bool {
		if calls <= 0 && bytes <= 0 {
			return false
		}
		if owner := c.entry.owner; owner == nil || owner == tx { // else its bytes may just change
			calls--
			bytes -= c.bytes
		}
		return true
	}
	found = tx.gatherCalls(&t.calls, over)
	return append(found, tx.gatherCalls(&t.patient, over)...)
}

func (tx *Tx) endAll(entries []*entry, reason, count string) {
	for _, e := range entries {
		tx.end(e.s, e.s.Last, reason)
		if count != "" && !e.s.Connection {
			tx.note(count)
		}
	}
}

func (tx *Tx) timeOut(c *Call) {
	if c.reported {
		return
	}
	s := c.entry.s
	s.lapse += tx.now - s.arrival
	s.arrival = tx.now
	tx.close(s, c, CallEnd{
		Time: s.Last, Incomplete: true, Outcome: timedOut(tx.t.opt.CallTimeout),
	})
}

func (tx *Tx) evict(c *Call) {
	if c.reported {
		return
	}
	s := c.entry.s
	tx.close(s, c, CallEnd{Time: s.Last, Incomplete: true})
	tx.note(CallEvicted)
}
