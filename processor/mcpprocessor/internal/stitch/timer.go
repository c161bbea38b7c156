package stitch

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.uber.org/zap"
)

const (
	minInterval = 10 * time.Millisecond // between two sweeps, so that one releases many traces
	firstRetry  = time.Second
	lastRetry   = 30 * time.Second
	checkEvery  = time.Second // the shared index
	forever     = time.Hour
)

// timer is the one timer and the one goroutine of a stitcher: it checks the shared
// index, sends refused spans again, and releases overdue traces.
type timer struct {
	core   *core
	shared *replicas // nil: this process alone
	status status
	cancel context.CancelFunc // nil: not started
	done   sync.WaitGroup

	retries        backoff.ExponentialBackOff
	retry          time.Duration // after tried
	checked, tried int64         // ns
}

// newBackOff needs no jitter: the next consumer is in this process.
func newBackOff() backoff.ExponentialBackOff {
	return backoff.ExponentialBackOff{InitialInterval: firstRetry, Multiplier: 2, MaxInterval: lastRetry}
}

func (t *timer) start() {
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	if t.shared != nil {
		t.status.setIndex(t.shared.check())
	}
	t.done.Go(func() { t.run(ctx) })
}

// stop returns at once; done is for those who wait.
func (t *timer) stop() {
	if t.cancel != nil {
		t.cancel()
	}
}

func (t *timer) run(ctx context.Context) {
	clock := time.NewTimer(forever)
	defer clock.Stop()
	for ctx.Err() == nil {
		now := t.core.clock()
		if t.shared != nil && now-t.checked >= int64(checkEvery) {
			t.status.setIndex(t.shared.check())
			t.shared.poll()
			t.checked = now
		}
		if now-t.tried >= int64(t.retry) {
			t.flush(ctx)
			t.tried = now
		}
		t.sweep()
		clock.Reset(t.pause())
		select {
		case <-ctx.Done():
		case <-clock.C:
		case <-t.core.wake:
			sleep(ctx, minInterval)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// pause returns how long nothing is due.
func (t *timer) pause() time.Duration {
	next := t.core.clock() + int64(forever)
	if t.shared != nil {
		next = min(next, t.checked+int64(checkEvery))
	}
	if t.mustFlush() {
		next = min(next, t.tried+int64(t.retry))
	}
	t.core.mu.Lock()
	if due, ok := t.core.traces.win.Next(); ok {
		next = min(next, due)
	}
	t.core.mu.Unlock()
	return max(time.Duration(next-t.core.clock()), minInterval)
}

// mustFlush is true after a refusal even if nothing waits: a batch that needed the
// quota may have sent the queue, and then the status has to change.
func (t *timer) mustFlush() bool { return t.core.retries.Waiting() || t.status.refused }

// flush sends refused spans again, with longer and longer pauses.
func (t *timer) flush(ctx context.Context) {
	if !t.mustFlush() {
		return
	}
	err := t.core.retries.Flush(ctx)
	if err == nil {
		t.retry = 0
		t.retries.Reset()
	} else {
		t.retry = t.retries.NextBackOff()
		t.status.logger.Warn("The next consumer refuses spans that waited; retrying", zap.Duration("in", t.retry))
	}
	t.status.setRefused(err != nil)
}

// sweep releases everything that has waited long enough.
func (t *timer) sweep() {
	if t.shared != nil {
		t.shared.sweep()
		return
	}
	for more := true; more; {
		t.core.do(func() { more = t.core.traces.sweep() })
	}
}

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
