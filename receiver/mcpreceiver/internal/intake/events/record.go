package events

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// recorder hands occurrences to the pipelines. It is safe for concurrent use.
type recorder struct {
	runner *intake.Runner
	seen   *Seen
	label  string // of the way in, in own metrics
}

// run is one attempt to hand on an occurrence.
func (r *recorder) run(ctx context.Context, o *event.Occurrence) error {
	return r.runner.Run(ctx, r.label, func(tx *session.Tx, _ int64) error {
		return tx.Apply(ctx, nil, o)
	})
}

// once hands on an event, unless that was done: then it is not first. What
// pipelines refuse permanently counts as done: it would always be refused.
func (r *recorder) once(ctx context.Context, o *event.Occurrence) (first bool, err error) {
	k := seenKeyOf(o.Endpoint, o.ID)
	mine, err := r.seen.Begin(ctx, k)
	if err != nil {
		return false, err
	}
	if !mine {
		r.runner.Dropped(ctx, r.label, "repeated", 1)
		return false, nil
	}
	settled := false
	defer func() { // a pipeline that panics must not block the event for ever
		if !settled {
			r.seen.Finish(ctx, k, false)
		}
	}()
	err = r.run(ctx, o)
	settled = true
	r.seen.Finish(ctx, k, err == nil || consumererror.IsPermanent(err))
	return true, err
}

// insist hands on until the pipelines accept it, or refuse it permanently, or ctx is
// done: the caller waits, and reads no further.
func (r *recorder) insist(ctx context.Context, attempt func(context.Context) error) error {
	err := retry.Do(ctx, retry.New(firstRetry, lastRefusal), 0, func() error {
		delivery, ended := r.runner.Delivery(ctx)
		defer ended()
		err := attempt(delivery)
		if consumererror.IsPermanent(err) {
			return retry.Permanent(err)
		}
		return err
	})
	switch {
	case err == nil:
		r.runner.Accepted(ctx, r.label, 1)
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		r.runner.Rejected(ctx, r.label, "pipeline refused", 1)
	}
	return nil
}
