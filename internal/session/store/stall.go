package store

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// NestedMax is the number of open calls up to which those that wait for each
// other are looked for.
const NestedMax = 64

// watched are the sessions of hosts whose silence would mean something, the longest
// silent first: of hosts that send heartbeats, and of agents that have hooks.
type watched [2]intrusive.List[*Entry]

// kindOf is which of the two the session's host is.
func kindOf(s *Session) int {
	if s.Agent != nil && s.Agent.Sources.Has(FromHooks) {
		return 1
	}
	return 0
}

// stalledAfter is the silence that is too long of a host of that kind, in ns. The
// caller holds t.mu.
func stalledAfter(t *Table, kind int) int64 {
	if kind == 1 {
		return int64(t.opt.AgentStalled)
	}
	return int64(t.opt.StalledAfter)
}

// SetAgentStalled changes after which silence an agent with hooks is stalled.
func (t *Table) SetAgentStalled(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opt.AgentStalled = after
}

// Watched reports whether the silence of the session's host would mean something.
func (s *Session) Watched() bool {
	if !s.Beaten || s.Stalled || s.Connection || !s.Open() || len(s.Waits) > 0 || s.works() {
		return false
	}
	if s.Agent != nil && (s.Phase == nil || s.Phase.Name == mcpconv.PhaseError) {
		return false // before the first prompt, and after a turn that failed, nothing is to be heard
	}
	return s.Phase == nil || s.Phase.Name != mcpconv.PhaseIdle && s.Phase.Name != mcpconv.PhaseApproval
}

// works reports whether a call is open that the host may wait for. A stream is
// none: it is open for as long as its host is connected. Nor is a ping.
func (s *Session) works() bool {
	if s.OpenCalls() > NestedMax {
		return true
	}
	for c := range s.EveryCall {
		if !mcpconv.Stream(c.Method) && !c.Kept() && c.Method != mcpconv.MethodPing {
			return true
		}
	}
	return false
}

// observe lines the entry up to be found silent, and notes that its host, if it
// belongs to one, is alive. The caller holds t.mu.
func (t *Table) observe(e *Entry) {
	news := e.heard != e.s.Heard
	e.heard = e.s.Heard
	switch watched := e.s.Watched(); {
	case !watched:
		e.watch.Leave()
	case news || !e.watch.In(&t.watch[kindOf(e.s)]):
		e.alive = 0
		t.heard(e, &t.watch[kindOf(e.s)], e.heard)
	}
	if e.s.HostID == "" || !news {
		return
	}
	host := t.names[BySession][e.s.HostID]
	if host == nil {
		return
	}
	heardOther(t, host, e.heard)
	if host.idle.Listed() {
		seenAgain(t, host, e.heard)
	}
}

// seenAgain begins the silence of the entry's session again. The caller holds t.mu.
func seenAgain(t *Table, e *Entry, at int64) {
	e.seen = max(e.seen, at)
	mayIdleAgain(t, e)
	t.dirty.markDirty(e)
}

// heard notes a sign of the entry's host, and keeps the list in order: what comes
// after others was not heard before them. The caller holds t.mu.
func (t *Table) heard(e *Entry, l *intrusive.List[*Entry], at int64) {
	e.alive = max(e.alive, at)
	if back := l.Back(); back != nil {
		e.alive = max(e.alive, back.Value.alive)
	}
	l.MoveToBack(&e.watch)
	t.dirty.markDirty(e)
}

// heardOther notes a sign of a host that another transaction may own: its session is
// not read. The caller holds t.mu.
func heardOther(t *Table, e *Entry, at int64) {
	for kind := range t.watch {
		if l := &t.watch[kind]; e.watch.In(l) {
			t.heard(e, l, at)
			return
		}
	}
}

// unbusy notes that a call of the host's is open no more; the last one was a sign
// of it. The caller holds t.mu.
func (t *Table) unbusy(host string) {
	if t.busy[host]--; t.busy[host] > 0 {
		return
	}
	delete(t.busy, host)
	e := t.names[BySession][host]
	if e == nil {
		return
	}
	heardOther(t, e, t.latest)
	if e.life.In(&t.lru) {
		seenAgain(t, e, t.latest)
	}
}

// noteSign notes what a server of the host said, if that was given up, or somebody may
// be about to do so. The caller holds t.mu.
func noteSign(t *Table, e *Entry) {
	if e.s == nil || !e.s.Open() || e.s.HostID == "" || e.heard == e.s.Heard {
		return
	}
	if host := t.names[BySession][e.s.HostID]; host != nil && host != e && (host.given || host.owner != nil) {
		host.sign = max(host.sign, e.s.Heard)
		t.dirty.markDirty(host)
		lineUpRevived(t, host)
	}
}

// lineUpRevived lets the next sweep see to a host that was given up and is heard of
// again: somebody else may work on its session. The caller holds t.mu.
func lineUpRevived(t *Table, e *Entry) {
	switch {
	case e.given && e.sign != 0:
		t.revived.MoveToBack(&e.again)
	case e.owner == nil:
		e.sign = 0
		e.again.Leave()
	}
}

// Silent is a session and when its host, or whatever it serves, was last heard of.
type Silent struct {
	Session *Session
	Alive   int64 // arrival time
	After   int64 // ns of silence that are too long; 0 if it is over
}

// holdMax is for how long, in ns, a transaction that is not settled may keep what it
// may bring from being called missing: a pipeline that hangs must not silence alarms.
const holdMax = int64(time.Minute)

// gatherStalled claims the sessions of hosts that have been silent for too long.
// One that has calls open elsewhere is busy, not silent; and nobody knows yet what
// transactions bring that are not committed. The caller holds t.mu.
func gatherStalled(tx *Tx) (found []Silent) {
	t, until := tx.t, tx.now
	for n := t.working.Front(); n != nil; n = n.Next() {
		until = min(until, n.Value.now)
	}
	until = max(until, tx.now-holdMax)
	for kind := range t.watch {
		after := stalledAfter(t, kind)
		for n := t.watch[kind].Front(); n != nil && len(tx.touched) < sweepMax; {
			e, next := n.Value, n.Next()
			alive := t.heardAt(e.alive)
			if alive+after > until {
				break
			}
			if t.busy[e.name] == 0 && e.owner == nil {
				found = append(found, Silent{tx.claimFree(e).s, alive, after})
			}
			n = next
		}
	}
	return found
}

// gatherRevived claims the sessions of hosts that were given up and are heard of again.
// The caller holds t.mu.
func gatherRevived(tx *Tx) (found []Silent) {
	for n := tx.t.revived.Front(); n != nil && len(tx.touched) < sweepMax; n = n.Next() {
		if e := n.Value; e.owner == nil {
			found = append(found, Silent{Session: tx.claimFree(e).s, Alive: e.sign})
		}
	}
	return found
}

// quietest is the session of the host that was silent longest, of those of that
// kind that are not busy; nil if there is none. The caller holds t.mu.
func quietest(t *Table, kind int) *Entry {
	for n := t.watch[kind].Front(); n != nil; n = n.Next() {
		if t.busy[n.Value.name] == 0 {
			return n.Value
		}
	}
	return nil
}
