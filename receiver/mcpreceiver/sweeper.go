package mcpreceiver

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// sweeper ends what is due, and reports metrics.
type sweeper struct {
	runner *intake.Runner
	pulse  *pulse
	cfg    *Settings
	logger *zap.Logger
}

// minPause is the least time between two sweeps: what is due may be in use.
const minPause = 50 * time.Millisecond

// errRefused stands for the pipeline's own error, which may hold what was sent.
var errRefused = errors.New("a pipeline rejected session-end telemetry")

// run ends what is due until ctx is done: the one timer of all sessions. What a
// pipeline refuses stays as it is and is tried again, ever more rarely; report reports
// whether there is such.
func (s *sweeper) run(ctx context.Context, report func(error)) {
	delays, failing := retry.New(firstRetry, lastRetry), false
	for failing || s.awaitWork(ctx) {
		s.pulse.check(s.runner.Engine)
		found, err := s.runner.Sweep(ctx, false)
		delay := minPause
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failing = true
			report(errRefused)
			delay = delays.Next(err)
			s.logger.Warn("Pipeline rejected session-end telemetry; retrying", zap.Duration("in", delay))
		case !failing:
			continue
		case found, !s.due(): // what was refused is accepted, or somebody else's work ended it
			failing = false
			delays.Reset()
			report(nil)
			continue
		}
		if !retry.Sleep(ctx, delay) {
			return
		}
	}
}

// due reports whether something is due, which may be in use.
func (s *sweeper) due() bool {
	at, scheduled := s.runner.Engine.Next()
	return scheduled && at <= s.runner.Engine.Now()
}

// measure reports metrics until ctx is done. What a pipeline refuses is reported
// again with the next, for it is cumulative; obsreport counts it.
func (s *sweeper) measure(ctx context.Context) {
	for retry.Sleep(ctx, s.cfg.Metrics.Interval) {
		if err := s.runner.Measure(ctx); err != nil && ctx.Err() == nil {
			s.logger.Warn("Pipeline rejected metrics; the next report includes them")
		}
	}
}

// keepPulse tells sessions what they may lack, until ctx is done.
func (s *sweeper) keepPulse(ctx context.Context) {
	for s.pulse.tell(ctx, s.runner, s.logger); retry.Sleep(ctx, pulseInterval); s.pulse.tell(ctx, s.runner, s.logger) {
		s.pulse.check(s.runner.Engine)
	}
}

// goneInterval is how often agents' processes are looked after. An agent that ends by itself
// has as long to report it.
const goneInterval = 10 * time.Second

// endGone ends the sessions of agents that do not run any more until ctx is done. What a
// pipeline refuses is tried again.
func (s *sweeper) endGone(ctx context.Context) {
	for retry.Sleep(ctx, goneInterval) {
		for _, name := range s.runner.Engine.Gone() {
			err := s.runner.Run(ctx, "", func(tx *session.Tx, _ int64) error {
				return tx.Apply(ctx, &event.Envelope{Session: name}, &event.ProcessGone{})
			})
			if err != nil && ctx.Err() == nil {
				s.logger.Warn("Pipeline rejected the end of a session whose agent is gone; retrying")
			}
		}
	}
}

// awaitWork returns when something may be due; false when ctx is done.
func (s *sweeper) awaitWork(ctx context.Context) bool {
	for {
		wake := s.runner.Engine.Wake()
		// What is opened while this waits is due after the shortest time-out at
		// the earliest.
		due := min(s.cfg.Session.IdleTimeout, s.cfg.Call.Timeout, s.cfg.Call.StuckAfter, s.cfg.Host.StalledAfter)
		at, scheduled := s.runner.Engine.Next()
		if scheduled {
			due = min(due, time.Duration(at-s.runner.Engine.Now()))
		}
		due = max(due, minPause)
		timer := time.NewTimer(due)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-wake:
			timer.Stop()
			return true
		case <-timer.C:
			if scheduled {
				return true
			}
		}
	}
}

// Delays between attempts to hand on what a pipeline refused.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// drainAttempts is the number of times that a pipeline is asked to accept the same when
// the receiver stops. They take about 13 s in all: a memory limiter that is above its soft
// limit refuses for up to 10 s before it collects garbage.
const drainAttempts = 8

// drain ends what is open and in nobody's hands. A pipeline that refuses is asked again
// until ctx is done, but not for ever when ctx never is; then its error is returned.
// What it refuses permanently is gone, and no reason to keep the rest from it.
func (s *sweeper) drain(ctx context.Context) (err error) {
	delays := retry.New(firstRetry, lastRetry)
	for more := true; more && err == nil; {
		err = retry.Do(ctx, delays, drainAttempts, func() (err error) {
			more, err = s.runner.Sweep(ctx, true)
			return err
		})
	}
	return err
}

// measureLast reports the metrics since the last report, twice, since the first report of
// a series is 0. A pipeline that refuses is asked
// again as in drain; then they are lost, which a warning says.
func (s *sweeper) measureLast(ctx context.Context) {
	err := retry.Do(ctx, retry.New(firstRetry, lastRetry), drainAttempts, func() error {
		err := errors.Join(s.runner.Measure(ctx), s.runner.Measure(ctx))
		if consumererror.IsPermanent(err) {
			return retry.Permanent(err)
		}
		return err
	})
	if err != nil {
		s.logger.Warn("Pipeline rejected the last metrics; what changed since the report before is lost")
	}
}
