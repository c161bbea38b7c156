package mcpprocessor

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
)

const (
	nap        = 10 * time.Millisecond // between two sweeps, so that one lets many traces go
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	checkEvery = time.Second // the shared index
	sweepSize  = 1000        // traces that are let go under one lock
	forever    = time.Hour
)

// timer is the one timer and the one goroutine of a stitcher.
type timer struct {
	wake   chan struct{}
	logger *zap.Logger
	host   component.Host
	cancel context.CancelFunc
	done   sync.WaitGroup
	stop   sync.Once
	retry  time.Duration

	refused, away error // what the host was told
}

// Start starts the timer, if anything can ever wait.
func (s *stitcher) Start(_ context.Context, host component.Host) error {
	if s.rules.linkOnly && s.shared == nil {
		return nil
	}
	s.timer.host = host
	ctx, cancel := context.WithCancel(context.Background())
	s.timer.cancel = cancel
	if s.shared != nil {
		s.check()
	}
	s.timer.done.Go(func() { s.run(ctx) })
	return nil
}

// nudge lets the timer look again: something may be due earlier than it thinks.
func (s *stitcher) nudge() {
	select {
	case s.timer.wake <- struct{}{}:
	default:
	}
}

func (s *stitcher) run(ctx context.Context) {
	clock := time.NewTimer(forever)
	defer clock.Stop()
	var checked, tried int64
	for ctx.Err() == nil {
		now := s.clock()
		if s.shared != nil && now-checked >= int64(checkEvery) {
			s.check()
			s.poll()
			checked = now
		}
		if now-tried >= int64(s.timer.retry) {
			s.flush(ctx)
			tried = now
		}
		s.sweep()
		clock.Reset(s.pause(checked, tried))
		select {
		case <-ctx.Done():
		case <-clock.C:
		case <-s.timer.wake:
			sleep(ctx, nap)
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

// pause is how long nothing is due.
func (s *stitcher) pause(checked, tried int64) time.Duration {
	next := s.clock() + int64(forever)
	if s.shared != nil {
		next = min(next, checked+int64(checkEvery))
	}
	if s.out.waiting() || s.timer.refused != nil {
		next = min(next, tried+int64(s.timer.retry))
	}
	s.mu.Lock()
	if due, ok := s.rules.win.Next(); ok {
		next = min(next, due)
	}
	s.mu.Unlock()
	return max(time.Duration(next-s.clock()), nap)
}

// flush sends what was refused again, ever more rarely.
func (s *stitcher) flush(ctx context.Context) {
	if !s.out.waiting() && s.timer.refused == nil {
		return
	}
	// If nothing waits any more, a batch that needed the room got it through.
	err := s.out.flush(ctx)
	if err == nil {
		s.timer.retry = 0
	} else {
		s.timer.retry = min(max(2*s.timer.retry, firstRetry), lastRetry)
		s.timer.logger.Warn("The next consumer cannot take spans that waited; they are sent again", zap.Duration("in", s.timer.retry))
	}
	if err != nil {
		err = errRefused
	}
	before := s.timer.refused
	s.timer.refused = err
	s.timer.report(before, err)
}

var (
	errRefused = errors.New("the next consumer cannot take spans that waited")
	errAway    = errors.New("stitch::index: the shared index does not answer; traces go on unstitched")
)

func (t *timer) reportIndex(err error) {
	if (err == nil) == (t.away == nil) {
		return
	}
	if err != nil {
		t.logger.Warn("The shared index does not answer; traces go on unstitched until it does", zap.Error(err))
		err = errAway
	} else {
		t.logger.Info("The shared index answers again")
	}
	t.away, err = err, t.away
	t.report(err, t.away)
}

// report tells the host when things change.
func (t *timer) report(before, now error) {
	if (before == nil) == (now == nil) || t.host == nil {
		return
	}
	if bad := errors.Join(t.refused, t.away); bad != nil {
		componentstatus.ReportStatus(t.host, componentstatus.NewRecoverableErrorEvent(bad))
		return
	}
	componentstatus.ReportStatus(t.host, componentstatus.NewEvent(componentstatus.StatusOK))
}

// sweep lets everything go that waited long enough.
func (s *stitcher) sweep() {
	if s.shared != nil {
		s.sweepShared()
		return
	}
	for more := true; more; {
		s.do(func(r *rules) { more = r.sweep() })
	}
}

// sweep reports whether there is more to do.
func (r *rules) sweep() bool {
	for range sweepSize {
		t := r.win.Due(r.now)
		if t == nil {
			return false
		}
		r.expire(t)
	}
	return true
}
