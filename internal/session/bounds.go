package session

// settle puts the entry where its session's state belongs. The caller holds t.mu.
func (t *Tracker) settle(e *entry) {
	e.idle.leave()
	e.watch.leave()
	t.recount(e)
	switch s := e.s; {
	case s == nil || s.Connection && s.ended != 0:
		t.forget(e)
	case s.ended != 0:
		s.calls, s.parked, s.tokens, s.used = nil, nil, nil, usedIDs{}
		s.finished, s.traces = nil, nil
		s.ErrorText, s.Title, s.TransportStatus, s.Invalid = "", "", "", ""
		s.hostState, s.pending, s.cancelledAt = hostState{spent: s.spent}, nil, nil
		e.heavy.leave()
		t.hold(e, 0)
		t.ended.moveToBack(&e.life)
	default:
		e.seen = s.arrival
		t.hold(e, s.held)
		t.lru.moveToBack(&e.life)
		e.heavy.leave()
		if s.held > 0 {
			t.heavy.moveToBack(&e.heavy)
		}
		t.observe(e)
		t.mayIdle(e)
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
	e.heavy.leave()
	e.watch.leave()
	e.life.leave()
	t.uncount(e)
	t.vacate(&e.place)
	e.kept.leave()
	delete(t.books[e.book], e.name)
}

// bound keeps the limits after a transaction. The caller holds t.mu.
func (t *Tracker) bound() {
	t.evict(&t.lru, func() bool { return t.lru.n > t.opt.MaxSessions })
	t.evict(&t.heavy, func() bool { return t.held > t.opt.MaxOpenBytes })
	// A pipeline that refuses the ends of sessions must not fill the memory.
	t.drop(&t.lru, func() bool { return t.lru.n > max(2*t.opt.MaxSessions, t.came.sessions) }, t.lose)
	t.drop(&t.heavy, func() bool { return t.held > max(2*t.opt.MaxOpenBytes, t.came.held) }, t.lose)
	t.drop(&t.ended, func() bool { return t.ended.n > t.opt.MaxSessions }, t.forget)
	t.dropCalls(&t.calls)
	t.dropCalls(&t.patient)
	t.remind()
}

// evict lines up the sessions at the front of l to be ended, as many as may
// wait, while over says so. The caller holds t.mu.
func (t *Tracker) evict(l *list[*entry], over func() bool) {
	for n := l.front; n != nil && over() && t.out.n < t.opt.MaxPending; {
		e, next := n.value, n.next
		if e.owner == nil {
			t.hold(e, 0) // as good as gone
			e.idle.leave()
			e.heavy.leave()
			e.watch.leave()
			t.out.moveToBack(&e.life)
		}
		n = next
	}
}

// drop gets rid of the free entries at the front of l while over says so. The
// caller holds t.mu.
func (t *Tracker) drop(l *list[*entry], over func() bool, rid func(*entry)) {
	for n := l.front; n != nil && over(); {
		next := n.next
		if n.value.owner == nil {
			rid(n.value)
		}
		n = next
	}
}

// dropCalls gets rid of the oldest calls of l when they are far too many,
// because no pipeline takes their ends. The caller holds t.mu.
func (t *Tracker) dropCalls(l *list[*Call]) {
	for n := l.front; n != nil && t.farTooManyCalls(); {
		c, next := n.value, n.next
		if c.entry.owner == nil {
			c.entry.s.take(c)
			c.reported = true
			t.unlist(c)
			t.rest(c.entry)
			t.opt.Lost("call")
		}
		n = next
	}
}

// rest lets silence end the entry's session, if nothing is open in it any more,
// and mean something if its host is to be heard of.
// It is as good as touched, so that the list stays in order. The caller holds t.mu.
func (t *Tracker) rest(e *entry) {
	if e.life.in == &t.lru && e.s.quiet() {
		t.mayIdle(e)
		t.observe(e)
		t.alter(e)
	}
}

// mayIdle lets silence end the entry's session if nothing is open in it. One that
// was touched by something other than a message is as good as seen with the last
// of the others: the list stays in order, or who is due would not be found. The
// caller holds t.mu.
func (t *Tracker) mayIdle(e *entry) {
	if !e.s.quiet() {
		return
	}
	if back := t.idle.back; back != nil {
		e.seen = max(e.seen, back.value.seen)
	}
	t.idle.moveToBack(&e.idle)
}

func (t *Tracker) farTooManyCalls() bool {
	return t.calls.n+t.patient.n > max(2*t.opt.MaxOpenCalls, t.came.calls) || t.bytes > max(2*t.opt.MaxOpenBytes, t.came.callBytes)
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
	for c := range e.s.everyOpen {
		t.unlist(c)
	}
	t.forget(e)
	t.opt.Lost("session")
}

func (t *Tracker) tooManyCalls() bool {
	return t.calls.n+t.patient.n > t.opt.MaxOpenCalls || t.bytes > t.opt.MaxOpenBytes
}

// enlist makes a call that stays open known to the timers. The caller holds t.mu.
func (t *Tracker) enlist(c *Call) {
	t.lineUp(c)
	t.alterCall(c)
	t.bytes += c.bytes
	if c.host != "" {
		t.busy[c.host]++
	}
}

// lineUp puts a call where it waits to be found late. The caller holds t.mu.
func (t *Tracker) lineUp(c *Call) {
	if c.mayWait() {
		t.patient.moveToBack(&c.node)
		c.still.leave()
	} else {
		t.calls.moveToBack(&c.node)
		if !c.dropped && !c.Stuck {
			t.still.moveToBack(&c.still)
		}
	}
	t.due.set(c)
}

// relist lines a call up anew that waits for something else than before. The
// caller holds t.mu.
func (t *Tracker) relist(c *Call, now int64) {
	if c.node.in != nil {
		c.since += now - c.moved
		c.arrival, c.moved = now, now
		t.lineUp(c)
		t.alterCall(c)
	}
}

// unlist undoes enlist, if it was done. The caller holds t.mu.
func (t *Tracker) unlist(c *Call) {
	if c.node.in == nil {
		return
	}
	t.vacate(&c.place)
	c.kept.leave()
	c.node.leave()
	c.still.leave()
	t.due.remove(c)
	t.bytes -= c.bytes
	if c.Stuck {
		t.stuck--
	}
	if c.host == "" {
		return
	}
	t.unbusy(c.host)
}

func (t *Tracker) kick() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
