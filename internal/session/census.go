package session

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

// phaseKinds is how many phases there are, and none.
const phaseKinds = 7

// phaseIndex is the place of a phase in the census, from 1; 1 is none.
func phaseIndex(p *Phase) uint8 {
	if p == nil {
		return 1
	}
	for i, name := range mcpconv.Phases {
		if name == p.Name {
			return uint8(i) + 2
		}
	}
	return 1
}

// recount puts the entry where its session's phase belongs. The caller holds t.mu.
func (t *Tracker) recount(e *entry) {
	t.uncount(e)
	if s := e.s; s != nil && !s.Connection && s.ended == 0 {
		e.phase = phaseIndex(s.Phase)
		t.phases[e.phase-1]++
	}
}

func (t *Tracker) uncount(e *entry) {
	if e.phase > 0 {
		t.phases[e.phase-1]--
		e.phase = 0
	}
}

// byPhase is the census in words, without the phases nobody is in. The caller
// holds t.mu.
func (t *Tracker) byPhase() (by map[string]int) {
	for i, n := range t.phases {
		if n == 0 {
			continue
		}
		if by == nil {
			by = map[string]int{}
		}
		name := ""
		if i > 0 {
			name = mcpconv.Phases[i-1]
		}
		by[name] = n
	}
	return by
}

// observe lines the entry up to be found silent, and notes that its host, if it
// belongs to one, is alive. The caller holds t.mu.
func (t *Tracker) observe(e *entry) {
	if e.s.watched() {
		e.alive = 0
		t.heard(e, e.seen)
	}
	if host := t.books[bySession][e.s.HostID]; e.s.HostID != "" && host != nil && host.watch.in != nil {
		t.heard(host, e.seen)
	}
}

// heard notes a sign of the entry's host, and keeps the list in order: what comes
// after others was not heard before them. The caller holds t.mu.
func (t *Tracker) heard(e *entry, at int64) {
	e.alive = max(e.alive, at)
	if back := t.watch.back; back != nil {
		e.alive = max(e.alive, back.value.alive)
	}
	t.watch.moveToBack(&e.watch)
	t.alter(e)
}

// gatherStalled claims the sessions of hosts that have been silent for too long.
// One that has calls open elsewhere is busy, not silent. The caller holds t.mu.
func (tx *Tx) gatherStalled() (found []silent) {
	t := tx.t
	for n := t.watch.front; n != nil && len(tx.touched) < sweepMax; {
		e, next := n.value, n.next
		if e.alive+int64(t.opt.StalledAfter) > tx.now {
			break
		}
		if t.busy[e.name] == 0 && e.owner == nil {
			found = append(found, silent{tx.own(e).s, e.alive})
		}
		n = next
	}
	return found
}

// quietest is the session of the host that was silent longest, of those that are
// not busy; nil if there is none. The caller holds t.mu.
func (t *Tracker) quietest() *entry {
	for n := t.watch.front; n != nil; n = n.next {
		if t.busy[n.value.name] == 0 {
			return n.value
		}
	}
	return nil
}

// unbusy notes that a call of the host's is open no more; the last one was a sign
// of it. The caller holds t.mu.
func (t *Tracker) unbusy(host string) {
	if t.busy[host]--; t.busy[host] > 0 {
		return
	}
	delete(t.busy, host)
	if e := t.books[bySession][host]; e != nil && e.watch.in != nil {
		t.heard(e, t.latest)
	}
}

// silent is a session and when its host, or who serves it, was last heard of.
type silent struct {
	s     *Session
	alive int64 // arrival time
}

// countStuck notes which calls were told to be stuck, and which of them moved.
// The caller holds t.mu.
func (tx *Tx) countStuck() {
	tx.t.stuck += len(tx.stuck) - tx.freed
	for _, c := range tx.stuck {
		tx.t.alterCall(c)
		c.still.leave()
	}
}

// lineUp puts the calls that moved last among those that may get stuck. The
// caller holds t.mu.
func (tx *Tx) lineUp() {
	t := tx.t
	for _, m := range tx.moved {
		c := m.call
		c.moved, c.since = tx.now, m.since
		t.alterCall(c)
		if c.node.in == &t.calls && !c.dropped {
			t.still.moveToBack(&c.still)
		}
	}
}
