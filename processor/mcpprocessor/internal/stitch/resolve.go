package stitch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// resolve releases the whole tree of which t is the root into the trace final; or,
// if it is to leave unchanged, each of its traces under its own id.
func (ts *traces) resolve(t *trace, final pcommon.TraceID, unchanged bool) {
	ts.stack = append(ts.stack[:0], t)
	for len(ts.stack) > 0 {
		t := ts.stack[len(ts.stack)-1]
		ts.stack = ts.stack[:len(ts.stack)-1]
		for c := t.child; c != nil; c = c.sibling {
			ts.stack = append(ts.stack, c)
		}
		if unchanged {
			final = t.ID
		}
		ts.finish(t, final, unchanged)
	}
}

// stay resolves the root of a tree as staying, and the others with it.
func (ts *traces) stay(t *trace) { ts.resolve(t, t.ID, false) }

// releaseUnchanged releases the whole tree that t is in as it arrived.
func (ts *traces) releaseUnchanged(t *trace) {
	ts.eachRoot(t, func(t *trace) { ts.resolve(t, pcommon.TraceID{}, true) })
}

// detach resolves t as staying even if it has joined another trace.
func (ts *traces) detach(t *trace) {
	if t.state == undecided {
		ts.stay(t)
		return
	}
	ts.releaseUnchanged(t)
}

// eachRoot calls resolve with the root of the tree that t is in. If no span of the
// root is here, there is nothing of it to resolve, so resolve is called with each
// trace that joined it.
func (ts *traces) eachRoot(t *trace, resolve func(*trace)) {
	top := root(t)
	if !top.remote {
		resolve(top)
		return
	}
	for c := top.child; c != nil; c = top.child {
		top.child = c.sibling
		c.sibling, c.joinedTo = nil, nil
		resolve(c)
	}
	known, _ := ts.idx.AddTrace(top.ID, ts.now)
	known.Pending = 0
	ts.win.Remove(top, nil)
}

// finish releases one trace.
func (ts *traces) finish(t *trace, final pcommon.TraceID, unchanged bool) {
	ts.dequeue(t)
	t.state, t.final = resolved, final
	if final == t.ID {
		t.parent = pcommon.SpanID{}
	} else {
		ts.stats.stitched++
	}
	resolution := t.resolution()
	ts.idx.Resolve(t.place, t.ID, resolution, ts.now)
	partner, found := ts.publishStay(t)
	if t.Count > 0 {
		ts.stats.waited = append(ts.stats.waited, ts.now-t.First)
	}
	ts.win.Remove(t, func(s *waitingSpan) {
		if final != t.ID {
			rewrite(s.Span, resolution)
		}
		if found && !unchanged && s.SpanID() == resolution.Root {
			ts.link(s.Span, partner)
		}
		ts.outgoing.Add(s)
	})
	t.above, t.joinedTo, t.child = nil, nil, nil
}

// publishStay publishes what others need to know about a trace that stays. It
// returns the claim that its root should have joined, if there is one.
func (ts *traces) publishStay(t *trace) (partner SpanRef, found bool) {
	if t.final != t.ID {
		return partner, false
	}
	if t.claimed {
		ts.publish(t.ID, t.resolution())
	}
	if !t.served || t.cyclic {
		return partner, false
	}
	entry := ts.idx.AddKeyAt(t.keyPlace, t.value, ts.now)
	if entry.HasClaim && (!entry.Claim.Usable() || entry.Claim.Trace == t.ID) {
		return partner, false
	}
	ts.releaseRoot(entry, t.value, Root{SpanRef: SpanRef{Trace: t.ID, Span: t.root}, Seq: ts.seq})
	return entry.Claim.SpanRef, entry.HasClaim
}
