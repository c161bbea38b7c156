package stitch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// addClaim records a claim, and joins the traces that wait for it.
func (ts *traces) addClaim(v Value, c Claim) Place {
	entry, place, changed := ts.recordClaim(v, &c)
	if !changed {
		return place
	}
	c = entry.Claim
	if c.Split {
		return place // until the span comes that both are inside of
	}
	ts.moveUp(v, &c)
	for queue := entry.Queue; queue != 0; {
		t := ts.win.At(queue)
		queue = handle(t.next)
		ts.dequeue(t)
		ts.match(t, &c)
	}
	return place
}

// moveUp puts the traces that joined another claim of the value below this one, which
// that is inside of, as long as they wait.
func (ts *traces) moveUp(v Value, c *Claim) {
	to := ts.get(c.Trace)
	if to == nil || c.Ambiguous || ts.shared {
		return
	}
	for t := to.child; t != nil; t = t.sibling {
		if t.value == v && t.served {
			t.parent = c.Span
		}
	}
}

// match decides a trace whose root has the value of a claim.
func (ts *traces) match(t *trace, c *Claim) {
	if c.Ambiguous || c.Trace == t.ID {
		ts.stay(t)
		return
	}
	ts.decide(t, Decision{Join: true, To: c.SpanRef, Root: t.root})
}

// decide decides an undecided trace, together with the other replicas if there are
// any.
func (ts *traces) decide(t *trace, d Decision) {
	switch {
	case t.state != undecided || t.deciding:
	case ts.online:
		t.deciding = true
		ts.ask(Query{Kind: PutDecision, Trace: t.ID, Decision: d})
	case ts.shared:
		// What the other replicas decide is unknown.
		ts.stay(t)
	default:
		ts.apply(t, d)
	}
}

// onDecision applies the stored decision about a trace. If there is none, a trace
// that was being decided stays.
func (ts *traces) onDecision(q *Query, answered bool) {
	t := ts.get(q.Trace)
	switch {
	case t == nil:
	case q.Kind == GetDecision:
		if q.Decided {
			ts.apply(t, q.Decision)
		}
	case !t.deciding:
	case answered && q.Decided:
		ts.apply(t, q.Decision)
	case t.remote:
		t.deciding = false
	default:
		ts.apply(t, Decision{})
	}
}

// apply does what was decided.
func (ts *traces) apply(t *trace, d Decision) {
	t.deciding = false
	switch {
	case t.state != undecided:
	case !d.Join:
		ts.stay(t)
	default:
		ts.join(t, d)
	}
}

func (ts *traces) join(t *trace, d Decision) {
	ts.dequeue(t)
	t.root, t.parent = d.Root, d.To.Span
	if resolution := ts.idx.Resolution(d.To.Trace, ts.now); resolution != nil {
		ts.resolve(t, resolution.Final, false)
		return
	}
	to := ts.get(d.To.Trace)
	switch {
	case to == nil && ts.shared:
		to = ts.addRemote(d.To.Trace)
	case to == nil:
		ts.resolve(t, d.To.Trace, false) // forgotten, so it left long ago
		return
	}
	if root(to) == t {
		ts.breakCycle(t, to)
		return
	}
	attach(t, to)
}

// breakCycle resolves a trace that would join a trace that is joined to it. One
// trace of the cycle stays, and the others join it.
func (ts *traces) breakCycle(t, to *trace) {
	stays := lowestID(to)
	stays.cyclic = true
	ts.stats.ambiguous[cycle]++
	ts.resolve(t, stays.ID, false)
}

// addRemote adds a trace whose spans are at other replicas, and asks what they
// decided about it.
func (ts *traces) addRemote(id pcommon.TraceID) *trace {
	t := ts.win.AddPlaceholder(id)
	t.remote = true
	known, place := ts.idx.AddTrace(id, ts.now)
	known.Pending, t.place = t.Handle, place
	ts.ask(Query{Kind: GetDecision, Trace: id})
	return t
}

// linkMode gives the later side of a call a link to the other. Nothing waits, and
// no id changes.
type linkMode struct{ *ledger }

func (m linkMode) observe(batch items) {
	m.prefetchKeys(batch)
	for i := range batch {
		it := &batch[i]
		m.arrive(it)
		if it.is(claims) {
			if c := it.claim(); !m.askClaim(it.value, &c) {
				it.keyPlace = m.addClaim(it.value, c)
			}
		}
		if it.is(serves) {
			m.recordRoot(it)
		}
	}
}

func (m linkMode) place(batch items) (waiting int) {
	for i := range batch {
		it := &batch[i]
		if it.is(claims) {
			m.linkClaim(it)
		}
		if it.is(serves) {
			m.linkRoot(it)
		}
	}
	return 0
}

func (m linkMode) addClaim(v Value, c Claim) Place {
	_, place, _ := m.recordClaim(v, &c)
	return place
}

// onDecision does nothing: no trace is ever decided.
func (linkMode) onDecision(*Query, bool) {}

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
