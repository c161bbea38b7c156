package stitch

// sweepSize is the number of traces that are released under one lock.
const sweepSize = 1000

// sweep releases traces that have waited long enough, and reports whether there
// are more.
func (ts *traces) sweep() (more bool) {
	for range sweepSize {
		t := ts.win.Due(ts.now)
		if t == nil {
			return false
		}
		ts.expire(t)
	}
	return true
}

// expire releases the tree of a trace whose time is over. Its root stays.
func (ts *traces) expire(t *trace) {
	if t.state != resolved {
		ts.stats.expired++
		ts.eachRoot(t, ts.stay)
	}
}

// overdue appends traces that have waited long enough to due, and asks once more
// for the clients of their roots.
func (ts *traces) overdue(due []*trace) (_ []*trace, more bool) {
	for range sweepSize {
		t := ts.win.Due(ts.now)
		if t == nil {
			return due, false
		}
		ts.win.Unschedule(t)
		if t.queued {
			ts.ask(Query{Kind: GetClaim, Value: t.value})
		}
		due = append(due, t)
	}
	return due, true
}

// keepUnstitched tells the other replicas that the tree of an overdue trace stays,
// unless they decided otherwise. If they do not answer, it stays at once.
func (ts *traces) keepUnstitched(t *trace) {
	top := root(t)
	switch {
	case !ts.online:
		ts.expire(t)
	case !top.deciding:
		top.deciding = true
		ts.stats.expired++
		ts.ask(Query{Kind: PutDecision, Trace: top.ID})
	}
}

// evict releases the trace that has waited longest as it arrived, with those that
// wait with it. It is false if none waits.
func (ts *traces) evict() bool {
	t := ts.win.Oldest()
	if t == nil {
		return false
	}
	before := ts.win.Spans()
	ts.releaseUnchanged(t)
	ts.stats.evicted += int64(before - ts.win.Spans())
	return true
}

// releaseAll releases everything that waits.
func (ts *traces) releaseAll() {
	for t := ts.win.Oldest(); t != nil; t = ts.win.Oldest() {
		ts.eachRoot(t, ts.stay)
	}
	for t := range ts.win.All() {
		if t.remote {
			ts.eachRoot(t, ts.stay)
		}
	}
}
