package pipeline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// Runner runs transactions on an engine, and hands their telemetry to the
// pipelines of one component. Its methods are safe for concurrent use; its fields
// are set before the first call.
type Runner struct {
	Engine  *session.Engine
	Build   *telemetry.Options
	Meter   *telemetry.Meter
	Traces  consumer.Traces  // nil if no pipeline accepts them, as are the next
	Logs    consumer.Logs    //
	Metrics consumer.Metrics //
	Obs     Observer         // nil where the collector counts by itself
	// Wall is the machine's clock, time.Now if it is nil. It gives times to what has
	// none; timers go by the engine's.
	Wall func() time.Time
	// Counted reports what the engine counted in a transaction that is committed;
	// endpoint is where it came in, "" for a sweep; nil if nobody counts.
	Counted func(ctx context.Context, endpoint string, counts map[string]int64)
	// Refused reports how many of a kind, "span" or "log record", a pipeline refused
	// permanently: they are lost; nil if nobody counts.
	Refused func(kind string, n int)

	// Sync stores what is open before a request is answered; nil if that may wait.
	Sync     func(context.Context) error
	unstored atomic.Bool // the last Sync failed

	lent      loans      // of other components
	measuring sync.Mutex // reports leave in the order of their times
}

// Apply reports to the engine what was observed; now is the machine's clock in Unix
// ns. It may be called several times, and must then start again.
type Apply func(tx *session.Tx, now int64) error

// Deliver hands on what a transaction made. If it fails for now, the sessions are as
// they were before.
type Deliver func(context.Context, *telemetry.Batch) error

// Kept reports whether the sessions keep what a transaction did that returned err. What
// a pipeline refuses permanently is lost for its signal only: it would be refused each
// time, and what another pipeline accepted must not be reported again otherwise.
func Kept(err error) bool { return err == nil || consumererror.IsPermanent(err) }

// Run lets apply report to the engine, and sends the resulting telemetry to the
// pipelines. If apply fails, or a pipeline refuses for now, the sessions are as they
// were before, see [Kept].
func (r *Runner) Run(ctx context.Context, endpoint string, apply Apply) error {
	return r.Transact(ctx, endpoint, apply, nil)
}

// Transact is Run with another way to deliver; nil is that of Run.
func (r *Runner) Transact(ctx context.Context, endpoint string, apply Apply, deliver Deliver) error {
	now := r.wall().UnixNano()
	var tx *session.Tx
	for {
		opt := r.options()
		r.Engine.ReportRows(opt.Logs)
		batch := telemetry.NewBatch(opt, now)
		former := tx
		tx = r.Engine.Begin(r.Engine.Now(), batch, former)
		tx.Wall = now
		former.Release()
		again, err := r.try(ctx, endpoint, tx, batch, apply, deliver)
		batch.Release()
		if !again {
			tx.Release()
			return err
		}
	}
}

func (r *Runner) wall() time.Time {
	if r.Wall != nil {
		return r.Wall()
	}
	return time.Now()
}

// try is one attempt of Transact; again if it must be repeated.
func (r *Runner) try(
	ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch, apply Apply, deliver Deliver,
) (again bool, err error) {
	defer tx.Rollback() // of what is not settled, after a panic too
	if err = apply(tx, tx.Wall); err == nil {
		tx.Finish()
		return false, r.deliver(ctx, endpoint, tx, batch, deliver)
	}
	tx.Rollback()
	if !session.Yielded(err) {
		return false, err
	}
	err = tx.Wait(ctx)
	return err == nil, err
}

// Sweep ends what is due, or with drain all that is open. It is false when there was
// nothing to end. An error says that a pipeline refused for now: all is as it was.
func (r *Runner) Sweep(ctx context.Context, drain bool) (bool, error) {
	batch := telemetry.NewBatch(r.options(), r.wall().UnixNano())
	sweep := r.Engine.Sweep
	if drain {
		sweep = r.Engine.Drain
	}
	tx, found := sweep(batch, time.Unix(0, r.Engine.Now()))
	if !found {
		tx.Rollback()
		return false, nil
	}
	defer tx.Rollback()
	if err := r.deliver(ctx, "", tx, batch, nil); !Kept(err) {
		return true, err
	}
	return true, nil
}

// deliver hands the batch on, then commits or rolls back.
func (r *Runner) deliver(ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch, deliver Deliver) (err error) {
	if deliver == nil {
		err = r.Consume(ctx, batch)
	} else {
		err = deliver(ctx, batch)
	}
	if !Kept(err) {
		tx.Rollback()
		return err
	}
	r.commit(ctx, endpoint, tx, batch)
	return err
}

func (r *Runner) commit(ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch) {
	tx.Commit()
	r.Meter.Add(batch.Samples())
	if counts := tx.Counts(); len(counts) > 0 && r.Counted != nil {
		r.Counted(ctx, endpoint, counts)
	}
}
