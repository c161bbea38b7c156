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
