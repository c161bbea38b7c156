package tracker

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// settle puts the entry where its session's state belongs. The caller holds t.mu.
func (t *Tracker) settle(e *entry) {
	e.idle.leave()
	switch s := e.s; {
	case s == nil || s.Connection && s.ended != 0:
		t.forget(e)
	case s.ended != 0:
		s.calls, s.tokens, s.used, s.ErrorText = nil, nil, usedIDs{}, ""
		t.hold(e, 0)
		t.ended.moveToBack(&e.life)
	default:
		e.seen = s.arrival
		t.hold(e, s.held)
		t.lru.moveToBack(&e.life)
		if s.quiet() {
			t.idle.moveToBack(&e.idle)
		}
	}
}

// hold accounts for what the entry's session keeps. The caller holds t.mu.
func (t *Tracker) hold(e *entry, bytes int64) {
	t.held += bytes - e.held
	e.held = bytes
}

// forget drops all that is known of the entry. The caller holds t.mu.
func (t *Tracker) forget(e *entry) {
	t.hold(e, 0)
	e.idle.leave()
	e.life.leave()
	delete(t.books[e.book], e.name)
}

// bound keeps the limits after a transaction. The caller holds t.mu.
func (t *Tracker) bound() {
	for n := t.lru.front; n != nil && t.crowded(); {
		next := n.next
		if n.value.owner == nil {
			n.value.idle.leave()
			t.hold(n.value, 0) // as good as gone
			t.out.moveToBack(n)
		}
		n = next
	}
	for n := t.out.front; n != nil && t.out.n > t.opt.MaxPending; {
		next := n.next
		if n.value.owner == nil {
			t.lose(n.value)
		}
		n = next
	}
	for n := t.ended.front; n != nil && t.ended.n > t.opt.MaxSessions; {
		next := n.next
		if n.value.owner == nil {
			t.forget(n.value)
		}
		n = next
	}
	t.remind()
}

// remind wakes the sweeper when something waits that no timer tells of. The
// caller holds t.mu.
func (t *Tracker) remind() {
	if t.out.n > 0 || t.tooManyCalls() {
		t.kick()
	}
}

// lose drops an evicted session that no pipeline took. The caller holds t.mu.
func (t *Tracker) lose(e *entry) {
	for _, c := range e.s.calls {
		t.unlist(c)
	}
	t.forget(e)
	t.opt.Lost()
}

func (t *Tracker) crowded() bool {
	return t.lru.n > t.opt.MaxSessions || t.held > t.opt.MaxOpenBytes && t.lru.n > 0
}

func (t *Tracker) tooManyCalls() bool {
	return t.calls.n+t.patient.n > t.opt.MaxOpenCalls || t.bytes > t.opt.MaxOpenBytes
}

// enlist makes a call that stays open known to the timers. The caller holds t.mu.
func (t *Tracker) enlist(c *Call) {
	if mcpconv.Patient(c.Method) {
		t.patient.moveToBack(&c.node)
	} else {
		t.calls.moveToBack(&c.node)
	}
	t.bytes += c.bytes
}

// unlist undoes enlist, if it was done. The caller holds t.mu.
func (t *Tracker) unlist(c *Call) {
	if c.node.in != nil {
		c.node.leave()
		t.bytes -= c.bytes
	}
}

func (t *Tracker) kick() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
