package stitch

// rewriteMode moves the server's trace into the client's. A trace waits until it
// is known where it goes; what comes too late is linked.
type rewriteMode struct{ *traces }

func (m rewriteMode) observe(batch items) {
	m.prefetchKeys(batch)
	m.prefetchTraces(batch)
	for i := range batch {
		it := &batch[i]
		m.arrive(it)
		if i == 0 || !m.reopen(it, &batch[i-1]) {
			m.open(it)
		}
		if it.is(claims) {
			m.observeClaim(it)
		}
		if it.is(roots) {
			m.observeRoot(it)
		}
	}
}

// open finds the item's trace. A trace of the receiver, or whose root is no server,
// stays.
func (m rewriteMode) open(it *item) {
	known, place := m.idx.AddTrace(it.trace, m.now)
	switch {
	case known.Resolved:
		it.resolution = known.Resolution
		return
	case known.Pending == 0 && (it.is(fromReceiver) || it.is(roots) && !it.is(serves)):
		it.resolution = Resolution{Final: it.trace}
		known.Resolution, known.Resolved = it.resolution, true
		return
	case known.Pending == 0:
		it.pending = m.win.AddPlaceholder(it.trace)
		it.pending.place = place
		known.Pending = it.pending.Handle
	default:
		it.pending = m.win.At(known.Pending)
	}
	m.touchLocal(it)
}

// reopen is open for an item of the same trace as the one before it: most senders
// put the spans of a trace together, and nothing needs to be looked up for them. It
// is false if the trace has to be looked up.
func (m rewriteMode) reopen(it, before *item) bool {
	switch {
	case it.trace != before.trace || before.pending != nil && before.pending.state == resolved:
		return false
	case before.pending == nil:
		it.resolution = before.resolution
	default:
		it.pending = before.pending
		m.touchLocal(it)
	}
	return true
}

// touchLocal records that a span of a pending trace is here. If it is the first,
// another replica may have decided the trace before.
func (m rewriteMode) touchLocal(it *item) {
	t := it.pending
	if t.remote || t.First == 0 && t.Count == 0 && !it.is(roots) {
		m.ask(Query{Kind: GetDecision, Trace: t.ID})
	}
	t.remote = false
	m.win.Touch(t, m.now)
	if it.is(fromReceiver) {
		m.detach(t)
	}
}

func (m rewriteMode) observeClaim(it *item) {
	if it.pending != nil {
		it.pending.claimed = true
	}
	c := it.claim()
	if !m.askClaim(it.value, &c) {
		it.keyPlace = m.addClaim(it.value, c)
		return
	}
	if resolution, ok := it.resolved(); ok {
		m.publish(it.trace, resolution)
		if known := m.idx.Resolution(it.trace, m.now); known != nil {
			known.Shared = true
		}
	}
}

func (m rewriteMode) observeRoot(it *item) {
	t := it.pending
	switch {
	case t == nil || t.state == resolved:
		m.lateRoot(it)
		return
	case t.served || t.state == joined:
		return // the same span again
	case !it.is(serves):
		m.stay(t)
		return
	}
	t.root, t.value, t.served = it.span.SpanID(), it.value, true
	entry, place := m.idx.AddKey(it.value, m.now)
	if entry.HasClaim && !entry.Claim.Split {
		c := entry.Claim
		m.match(t, &c)
		return
	}
	m.enqueue(t, entry, place)
	m.ask(Query{Kind: GetClaim, Value: it.value})
}

// lateRoot records a root whose trace is resolved, if it stays.
func (m rewriteMode) lateRoot(it *item) {
	if !it.is(serves) {
		return
	}
	if resolution, _ := it.resolved(); resolution.Final == it.trace {
		m.recordRoot(it)
	}
}

func (m rewriteMode) place(batch items) (waiting int) {
	for i := range batch {
		it := &batch[i]
		if it.is(claims) {
			m.linkClaim(it)
		}
		if it.is(serves) && staysLinked(it) {
			m.linkRoot(it)
		}
		if it.pending == nil && it.resolution.Final == it.trace {
			continue // nothing of it changes
		}
		it.waits = true
		if !it.release() {
			waiting++
		}
	}
	return waiting
}

// staysLinked reports whether a server's root stays in its trace, and not only
// because of a cycle.
func staysLinked(it *item) bool {
	resolution, ok := it.resolved()
	return ok && resolution.Final == it.trace && (it.pending == nil || !it.pending.cyclic)
}
