package intake

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

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
		batch := telemetry.NewBatch(r.Build, now)
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
	batch := telemetry.NewBatch(r.Build, r.wall().UnixNano())
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
	r.count(ctx, endpoint, tx.Counts())
}

// Store returns when what was accepted before the call is stored, if a crash must
// not lose it. If it cannot be stored it is kept in memory, and stored as soon as
// that is possible.
func (r *Runner) Store(ctx context.Context) error {
	if r.Sync == nil {
		return nil
	}
	err := r.Sync(ctx)
	r.unstored.Store(err != nil)
	return err
}

// Storable is an error if what was accepted last still cannot be stored: nothing
// more is to be accepted from senders that can send it again.
func (r *Runner) Storable(ctx context.Context) error {
	if !r.unstored.Load() {
		return nil
	}
	return r.Store(ctx)
}
