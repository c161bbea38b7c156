package stitch

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// sharedIndex holds what all replicas know together.
type sharedIndex interface {
	// Ask answers the queries in place. After an error ignore all answers.
	Ask(context.Context, []Query) error
	// Check reports whether the index still has its data, which it loses at a
	// restart without persistence. An error means that it does not answer.
	Check(context.Context) (remembers bool, err error)
	// Close closes the connections.
	Close() error
}

const (
	askTimeout = 500 * time.Millisecond // then the index is offline until it is checked
	rounds     = 32                     // answers may raise queries, as a chain of traces does
	pollSize   = 2000                   // queries at a time
)

// replicas asks the shared index what the ledger wants to know.
type replicas struct {
	core    *core
	index   sharedIndex
	timeout time.Duration         // of a question
	asking  chan struct{}         // full while converge is running
	answers atomic.Int64          // of the index, or none in time
	failed  atomic.Pointer[error] // of a query, since the last check
	due     []*trace              // overdue traces; the timer's
}

// converge asks until the ledger has no more queries. It runs once at a time, for
// all batches: another caller finds its queries taken and waits for the answers.
// No query starts after the timeout, so a slow index costs twice that at most.
func (r *replicas) converge() {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return
	}
	for i := 0; i < rounds && ctx.Err() == nil; i++ {
		qs, online := r.takeQueries()
		if len(qs) == 0 {
			return
		}
		if !online { // the check that finds it online again asks all of it
			r.onAnswers(qs, errOffline)
			continue
		}
		_ = r.ask(qs) // onAnswers got the error
	}
}

func (r *replicas) takeQueries() (qs []Query, online bool) {
	r.core.mu.Lock()
	defer r.core.mu.Unlock()
	qs = r.core.ledger.queries
	r.core.ledger.queries = nil
	return qs, r.core.ledger.online
}

func (r *replicas) ask(qs []Query) error {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	err := r.index.Ask(ctx, qs)
	r.answers.Add(1)
	if err != nil {
		r.core.telemetry.McpProcessorStitchIndexFailures.Add(context.Background(), 1)
		r.failed.Store(&err)
	}
	r.onAnswers(qs, err)
	return err
}

// onAnswers handles the answers to queries. If there is an error, there are none.
func (r *replicas) onAnswers(qs []Query, err error) {
	r.core.do(func() {
		if err != nil {
			r.core.ledger.online = false
		}
		for i := range qs {
			r.core.onAnswer(&qs[i], err == nil)
		}
	})
}

// askAll asks any number of queries, until one is not answered.
func (r *replicas) askAll(qs []Query) {
	for len(qs) > 0 {
		n := min(len(qs), pollSize)
		if r.ask(qs[:n]) != nil {
			return // the check that finds it online again asks all of it
		}
		qs = qs[n:]
	}
}

// check finds out whether the index answers, and restores what it lost. It returns
// why the index failed since the last check, even if it answers now.
func (r *replicas) check() error {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	remembers, err := r.index.Check(ctx)
	cancel()
	var lost []Query
	r.core.do(func() {
		l := r.core.ledger
		if err == nil && (!l.online || !remembers) {
			lost = l.idx.Queries(l.now)
		}
		l.online = err == nil
	})
	if before := r.failed.Swap(nil); err == nil && before != nil {
		err = *before
	}
	r.askAll(lost)
	return err
}

// poll looks for claims and decisions of other replicas that are waited for.
func (r *replicas) poll() {
	var qs []Query
	r.core.mu.Lock()
	if r.core.ledger.online {
		qs = r.core.traces.pendingQueries()
	}
	r.core.mu.Unlock()
	r.askAll(qs)
	r.converge()
}

// sweep releases overdue traces, unless other replicas decided otherwise: it asks
// for a client that came at the last moment, then stores that the trace stays, and
// obeys a decision that was stored before.
func (r *replicas) sweep() {
	for more := true; more; {
		due := r.due
		r.due = nil
		r.core.do(func() { due, more = r.core.traces.overdue(due) })
		if len(due) == 0 {
			return
		}
		r.converge()
		if due = r.keepUnstitched(due); len(due) > 0 {
			r.due = due // a batch is deciding them right now
			r.core.nudge()
			return
		}
	}
}

// keepUnstitched returns the traces that could not be resolved yet.
func (r *replicas) keepUnstitched(due []*trace) []*trace {
	for range rounds {
		r.core.do(func() {
			due = slices.DeleteFunc(due, func(t *trace) bool { return t.state == resolved })
			for _, t := range due {
				r.core.traces.keepUnstitched(t)
			}
		})
		if len(due) == 0 {
			return nil
		}
		r.converge()
	}
	return due
}

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

// onAnswer handles the answer to a query, or that there is none.
func (c *core) onAnswer(q *Query, answered bool) {
	switch q.Kind {
	case PutClaim:
		c.onClaim(q)
	case PutRoot, GetClaim:
		if q.Claim != nil {
			c.mode.addClaim(q.Value, *q.Claim)
		}
	case PutDecision, GetDecision:
		c.mode.onDecision(q, answered)
	case MarkAmbiguous, SetClaim:
	}
}

// onClaim handles the answer to a claim: another replica may have stored one
// before, and may know a root that left without a client.
func (c *core) onClaim(q *Query) {
	mine := q.Mine
	mine.Split, mine.Ambiguous = false, false
	entry, _ := c.ledger.idx.AddKey(q.Value, c.ledger.now)
	if q.Root != nil && q.Root.Trace != q.Span.Trace && !entry.HasRoot {
		entry.Root, entry.HasRoot = *q.Root, true
	}
	switch {
	case q.Claim == nil || q.Claim.SpanRef == mine.SpanRef && !q.Claim.Ambiguous:
		c.mode.addClaim(q.Value, mine)
	case q.Claim.Ambiguous:
		mine.Ambiguous = true
		c.mode.addClaim(q.Value, mine)
	case q.Claim.Trace == mine.Trace:
		c.onOwnTrace(q, entry, mine)
	default:
		c.ledger.ask(Query{Kind: MarkAmbiguous, Value: q.Value})
		c.mode.addClaim(q.Value, *q.Claim)
		c.mode.addClaim(q.Value, mine)
	}
}

// onOwnTrace handles another stored claim of the same trace: the outermost is stored
// in the end, if this replica saw both.
func (c *core) onOwnTrace(q *Query, entry *KeyEntry, mine Claim) {
	if !entry.HasClaim {
		c.mode.addClaim(q.Value, *q.Claim)
	}
	c.mode.addClaim(q.Value, mine)
	entry, _ = c.ledger.idx.AddKey(q.Value, c.ledger.now)
	switch {
	case !entry.Claim.Usable():
		c.ledger.ask(Query{Kind: MarkAmbiguous, Value: q.Value})
	case entry.Claim.SpanRef == mine.SpanRef:
		c.ledger.ask(Query{Kind: SetClaim, Value: q.Value, Span: mine.SpanRef})
	}
}
