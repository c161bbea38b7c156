package stitch

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
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
