package mcpreceiver

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// nap is the least time between two sweeps: what is due may be in use.
const nap = 50 * time.Millisecond

// errRefused stands for the pipeline's own error, which may hold what was sent.
var errRefused = errors.New("a pipeline cannot take the end of sessions now")

// sweep ends what is due until ctx is done: the receiver's one timer. What a
// pipeline refuses stays as it is and is tried again, ever more rarely.
func (r *mcpReceiver) sweep(ctx context.Context, host component.Host) {
	delays, failing := retry.New(firstRetry, lastRetry), false
	for r.awaitWork(ctx) {
		found, err := r.runner.Sweep(ctx, false)
		switch {
		case err == nil && found && failing:
			failing = false
			delays.Reset()
			componentstatus.ReportStatus(host, componentstatus.NewEvent(componentstatus.StatusOK))
			continue
		case err == nil, ctx.Err() != nil:
			continue
		case consumererror.IsPermanent(err):
			r.set.Logger.Error("A pipeline refused the end of sessions for good; their last spans are lost")
			continue
		case !failing:
			failing = true
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(errRefused))
		}
		delay := delays.Next(err)
		r.set.Logger.Warn("A pipeline cannot take the end of sessions now; it is tried again", zap.Duration("in", delay))
		retry.Sleep(ctx, delay)
	}
}

// measure hands on metrics until ctx is done. What a pipeline refuses is told
// again with the next, for it is cumulative; obsreport counts it.
func (r *mcpReceiver) measure(ctx context.Context) {
	for retry.Sleep(ctx, r.cfg.Metrics.Interval) {
		if err := r.runner.Measure(ctx); err != nil && ctx.Err() == nil {
			r.set.Logger.Warn("A pipeline does not take metrics now; they are told again with the next")
		}
	}
}

// awaitWork returns when something may be due; false when ctx is done.
func (r *mcpReceiver) awaitWork(ctx context.Context) bool {
	for {
		wake := r.runner.Engine.Wake()
		// What is opened while this waits is due after the shortest time-out at
		// the earliest.
		due := min(r.cfg.Session.IdleTimeout, r.cfg.Call.Timeout, r.cfg.Call.StuckAfter, r.cfg.Host.StalledAfter)
		at, scheduled := r.runner.Engine.Next()
		if scheduled {
			due = min(due, time.Until(time.Unix(0, at)))
		}
		due = max(due, nap)
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
