package store

import "github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"

// reindex puts the entry where its session's state belongs. The caller holds t.mu.
func (t *Table) reindex(e *Entry) {
	rests := t.restsOn(e)
	e.rowAgain = false
	if !rests {
		e.idle.Leave()
	}
	e.quiet, e.given = rests, e.s != nil && e.s.GivenUp()
	t.phases.recount(e)
	switch s := e.s; {
	case s == nil || s.Connection && !s.Open():
		t.forget(e)
	case e.book == ByFile:
		t.filed.MoveToBack(&e.life)
	case !s.Open():
		s.strip()
		t.parents.recognize(e)
		e.watch.Leave()
		e.withPayload.Leave()
		t.hold(e, s.endedBytes())
		t.ended.MoveToBack(&e.life)
		if s.Facts != nil || s.Agent != nil {
			t.remembered.MoveToBack(&e.withPayload)
		}
	default:
		t.parents.recognize(e)
		e.seen = max(e.seen, s.Arrival) // its servers may have been heard since
		t.hold(e, s.Held+s.factBytes())
		if !rests {
			t.lru.MoveToBack(&e.life)
		}
		e.withPayload.Leave()
		if e.held > 0 {
			t.withPayload.MoveToBack(&e.withPayload)
		}
		t.observe(e)
		if !rests {
			t.mayIdle(e)
		}
	}
}

// restsOn reports whether the entry keeps its place among the idle ones: its state was
// reported again, and nothing arrived. The caller holds t.mu.
func (t *Table) restsOn(e *Entry) bool {
	s := e.s
	return e.rowAgain && e.idle.Listed() && s != nil && s.Open() && s.Arrival <= e.seen && t.quiet(e, s.quiet())
}

// quiet reports whether silence may end the entry's session: nothing is open in it, as own
// says, nor in those of which it is the host. The caller holds t.mu.
func (t *Table) quiet(e *Entry, own bool) bool {
	return own && (e.book != BySession || t.busy[e.name] == 0)
}

// strip leaves of a session that ended what the next epoch needs.
func (s *Session) strip() {
	s.Calls, s.Parked, s.Tokens, s.Seldom = nil, nil, nil, nil
	s.Recent, s.Pending = Recent{}, nil
	s.Invalid = ""
	s.Waits = nil
	if s.Extra != nil {
		more := s.More()
		more.Delivered = nil
		s.Extra = &more
	}
	if s.Facts == nil && s.Agent == nil {
		s.forgetRow()
		return
	}
	s.Phase, s.Agents, s.Echoes = nil, nil, nil
	if a := s.Agent; a != nil && (len(a.Done) > 0 || a.Output != "") {
		s.Agent = &CodingAgent{Input: a.Input, Sources: a.Sources, Model: a.Model, Dir: a.Dir, Branch: a.Branch, Done: a.Done}
	}
}

// forgetRow leaves nothing of a session that ended by which its row could change.
func (s *Session) forgetRow() {
	name := s.More().Named
	if s.Agent != nil {
		name = s.Name()
	}
	s.ErrorText, s.Title, s.TransportStatus = "", "", ""
	s.Host = Host{IsHost: s.IsHost, TokensUsed: s.TokensUsed, Spawned: s.Spawned}
	s.Agent = nil
	if more := s.More(); more.End != nil || name != more.Named {
		more.End, more.Named = nil, name
		s.Extra = &more
	}
}

// endedBytes returns the size of what is kept of a session that has ended.
func (s *Session) endedBytes() int64 {
	if s.Facts == nil && s.Agent == nil {
		return 0
	}
	bytes := s.factBytes() + int64(len(s.ErrorText)+len(s.Title)+len(s.FirstPrompt()))
	if s.Agent != nil {
		bytes += s.Agent.Done.Bytes()
	}
	return bytes
}

// hold accounts for what the entry's session keeps. The caller holds t.mu.
func (t *Table) hold(e *Entry, bytes int64) {
	t.held += bytes - e.held
	e.held = bytes
}

// forget drops all that is known of the entry. The caller holds t.mu.
func (t *Table) forget(e *Entry) {
	t.hold(e, 0)
	e.idle.Leave()
	e.withPayload.Leave()
	e.watch.Leave()
	e.again.Leave()
	e.rowWaits, e.rowBeats = false, false
	e.life.Leave()
	t.phases.uncount(e)
	t.parents.disown(e)
	t.dirty.freeSlot(&e.slot, &e.lent)
	if e.s != nil {
		t.dirty.vacateFacts(e.s.Facts)
	}
	e.dirty.Leave()
	delete(t.names[e.book], e.name)
}

// bound keeps the limits after a transaction. The caller holds t.mu.
func (t *Table) bound() {
	t.forgetOldFacts()
	t.evict(&t.lru, func() bool { return t.lru.Len() > t.opt.MaxSessions })
	t.evict(&t.withPayload, func() bool { return t.held > t.opt.MaxOpenBytes })
	// A pipeline that refuses the ends of sessions must not fill the memory.
	t.drop(&t.lru, func() bool { return t.lru.Len() > max(2*t.opt.MaxSessions, t.restored.sessions) }, t.lose)
	t.drop(&t.withPayload, func() bool { return t.held > max(2*t.opt.MaxOpenBytes, t.restored.held) }, t.lose)
	t.drop(&t.ended, func() bool { return t.ended.Len() > t.opt.MaxSessions }, t.forget)
	t.drop(&t.filed, func() bool { return t.filed.Len() > t.opt.MaxSessions }, t.forget)
	for _, l := range t.inTheWay() {
		t.dropCalls(l)
	}
	t.remind()
}

// forgetOldFacts forgets the facts of sessions that ended long ago, and of others if too
// much is held. The caller holds t.mu.
func (t *Table) forgetOldFacts() {
	for n := t.remembered.Front(); n != nil; {
		e, next := n.Value, n.Next()
		if e.owner == nil { // else its session is the owner's to read
			if t.held <= t.opt.MaxOpenBytes && t.latest-e.s.Ended <= int64(t.opt.Remember) {
				return
			}
			t.forgetFacts(e)
		}
		n = next
	}
}

// forgetFacts leaves of an ended session's facts what they count. The caller holds t.mu.
func (t *Table) forgetFacts(e *Entry) {
	t.dirty.vacateFacts(e.s.Facts)
	if e.lent > 0 {
		t.dirty.lent[e.lent-1].chunks = nil
	}
	e.s.forgetFacts()
	e.s.forgetRow()
	e.withPayload.Leave()
	t.hold(e, 0)
	t.dirty.markDirty(e)
}

// evict lines up the sessions at the front of l to be ended, as many as may
// wait, while over says so. The caller holds t.mu.
func (t *Table) evict(l *intrusive.List[*Entry], over func() bool) {
	for n := l.Front(); n != nil && over() && t.evicted.Len() < t.opt.MaxPending; {
		e, next := n.Value, n.Next()
		if e.owner == nil {
			t.hold(e, 0) // as good as gone
			e.idle.Leave()
			e.withPayload.Leave()
			e.watch.Leave()
			t.evicted.MoveToBack(&e.life)
		}
		n = next
	}
}

// drop gets rid of the free entries at the front of l while over says so. The
// caller holds t.mu.
func (t *Table) drop(l *intrusive.List[*Entry], over func() bool, rid func(*Entry)) {
	for n := l.Front(); n != nil && over(); {
		next := n.Next()
		if n.Value.owner == nil {
			rid(n.Value)
		}
		n = next
	}
}

// lose drops an evicted session that no pipeline accepted. The caller holds t.mu.
func (t *Table) lose(e *Entry) {
	for c := range e.s.EveryCall {
		t.unlist(c)
	}
	t.forget(e)
	t.opt.Lost("session")
}

// dropCalls gets rid of the oldest calls of l when they are far too many,
// because no pipeline accepts their ends. The caller holds t.mu.
func (t *Table) dropCalls(l *intrusive.List[*Call]) {
	for n := l.Front(); n != nil && farTooManyCalls(t); {
		c, next := n.Value, n.Next()
		if c.entry.owner == nil {
			c.entry.s.remove(c)
			c.Ended = true
			t.unlist(c)
			t.rest(c.entry)
			t.opt.Lost("call")
		}
		n = next
	}
}

// rest lets silence end the entry's session, if nothing is open in it any more,
// and mean something if its host is to be heard of. It is as good as touched, so
// that the list stays in order. The caller holds t.mu.
func (t *Table) rest(e *Entry) {
	if e.life.In(&t.lru) {
		e.s.Heard = max(e.s.Heard, t.latest) // the host waited for the call until now
		t.mayIdle(e)
		t.observe(e)
		t.dirty.markDirty(e)
	}
}

// mayIdle lets silence end the entry's session if it is quiet. One that was touched by
// something other than a message is as good as seen with the last of the others: the list
// stays in order, or those that are due would not be found. The caller holds t.mu.
func (t *Table) mayIdle(e *Entry) {
	e.quiet = e.s.quiet()
	mayIdleAgain(t, e)
}

// mayIdleAgain is mayIdle for an entry of which nothing changed but what its servers
// do. Somebody may work on its session. The caller holds t.mu.
func mayIdleAgain(t *Table, e *Entry) {
	if !t.quiet(e, e.quiet) {
		return
	}
	if back := t.idle.Back(); back != nil {
		e.seen = max(e.seen, back.Value.seen)
	}
	t.idle.MoveToBack(&e.idle)
}

func farTooManyCalls(t *Table) bool {
	return t.openCalls() > max(2*t.opt.MaxOpenCalls, t.restored.calls) || t.bytes > max(2*t.opt.MaxOpenBytes, t.restored.callBytes)
}

func tooManyCalls(t *Table) bool {
	return t.openCalls() > t.opt.MaxOpenCalls || t.bytes > t.opt.MaxOpenBytes
}

// remind wakes the sweeper when something waits that no timer is set for, or is due
// before everything else. The caller holds t.mu.
func (t *Table) remind() {
	sooner := len(t.due) > 0 && t.due[0].due != t.earliest
	if t.earliest = 0; len(t.due) > 0 {
		t.earliest = t.due[0].due
	}
	if sooner || t.evicted.Len() > 0 || t.revived.Len() > 0 || tooManyCalls(t) {
		t.wakeSweeper()
	}
}

func (t *Table) wakeSweeper() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
