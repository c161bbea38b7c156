package pipeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry/metrics"
)

var errPanicked = errors.New("the pipeline panicked")

// format is what obsreport calls what comes in.
const format = "mcp"

// Observer counts what pipelines accept and refuse, as the collector's obsreport
// of receivers does.
type Observer interface {
	StartTracesOp(context.Context) context.Context
	EndTracesOp(ctx context.Context, format string, spans int, err error)
	StartLogsOp(context.Context) context.Context
	EndLogsOp(ctx context.Context, format string, records int, err error)
	StartMetricsOp(context.Context) context.Context
	EndMetricsOp(ctx context.Context, format string, points int, err error)
}

// Runner runs transactions on an engine, and hands their telemetry to the
// pipelines of one component. Its methods are safe for concurrent use; its fields
// are set before the first call.
type Runner struct {
	Engine  *session.Engine
	Build   *telemetry.Options
	Meter   *metrics.Meter
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

	// Sync stores what is open before a request is answered; nil if that may wait.
	Sync     func(context.Context) error
	unstored atomic.Bool // the last Sync failed

	lent      loans      // of other components
	measuring sync.Mutex // reports leave in the order of their times
}

// Apply reports to the engine what was observed; now is the machine's clock in Unix
// ns. It may be called several times, and must then start again.
type Apply func(tx *session.Tx, now int64) error

// Deliver hands on what a transaction made. If it fails, the sessions are as they
// were before.
type Deliver func(context.Context, *telemetry.Batch) error

// Run lets apply report to the engine, and sends the resulting telemetry to the
// pipelines. If apply or a pipeline fails, the sessions are as they were before.
func (r *Runner) Run(ctx context.Context, endpoint string, apply Apply) error {
	return r.Transact(ctx, endpoint, apply, nil)
}

// Transact is Run with another way to deliver; nil is that of Run.
func (r *Runner) Transact(ctx context.Context, endpoint string, apply Apply, deliver Deliver) error {
	now := r.wall().UnixNano()
	var tx *session.Tx
	for {
		batch := telemetry.NewBatch(r.options(), now)
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

// Sweep ends what is due, or with drain all that is open. It is false when
// there was nothing to end.
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
	err := r.Consume(ctx, batch)
	if err != nil && !consumererror.IsPermanent(err) {
		tx.Rollback()
		return true, err
	}
	r.commit(ctx, "", tx, batch) // what is refused permanently would always be refused
	return true, err
}

// deliver hands the batch on, then commits or rolls back.
func (r *Runner) deliver(ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch, deliver Deliver) (err error) {
	if deliver == nil {
		err = r.Consume(ctx, batch)
	} else {
		err = deliver(ctx, batch)
	}
	if err != nil {
		tx.Rollback()
		return err
	}
	r.commit(ctx, endpoint, tx, batch)
	return nil
}

func (r *Runner) commit(ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch) {
	tx.Commit()
	r.Meter.Add(batch.Samples())
	if counts := tx.Counts(); len(counts) > 0 && r.Counted != nil {
		r.Counted(ctx, endpoint, counts)
	}
}

// Consume hands on traces first, then logs. If the logs are refused, both come
// again, the spans with the same IDs.
func (r *Runner) Consume(ctx context.Context, batch *telemetry.Batch) error {
	traces, spans := batch.Traces()
	if err := r.forward(ctx, traces, spans); err != nil {
		return err
	}
	return r.consumeLogs(ctx, batch)
}

// Forward hands on spans that others made, as they are.
func (r *Runner) Forward(ctx context.Context, traces ptrace.Traces) error {
	return r.forward(ctx, traces, traces.SpanCount())
}

func (r *Runner) forward(ctx context.Context, traces ptrace.Traces, spans int) error {
	if spans == 0 {
		return nil
	}
	if r.Traces == nil {
		lent, done := borrow(r, tracesOf)
		defer done()
		if lent != nil {
			return lent.ConsumeTraces(ctx, traces)
		}
		return nil
	}
	if r.Obs == nil {
		return r.Traces.ConsumeTraces(ctx, traces)
	}
	ctx = r.Obs.StartTracesOp(ctx)
	err := errPanicked
	defer func() { r.Obs.EndTracesOp(ctx, format, spans, err) }()
	err = r.Traces.ConsumeTraces(ctx, traces)
	return err
}

func (r *Runner) consumeLogs(ctx context.Context, batch *telemetry.Batch) error {
	logs, records := batch.Logs()
	if records == 0 {
		return nil
	}
	if r.Logs == nil {
		lent, done := borrow(r, logsOf)
		defer done()
		if lent != nil {
			return lent.ConsumeLogs(ctx, logs)
		}
		return nil
	}
	if r.Obs == nil {
		return r.Logs.ConsumeLogs(ctx, logs)
	}
	ctx = r.Obs.StartLogsOp(ctx)
	err := errPanicked
	defer func() { r.Obs.EndLogsOp(ctx, format, records, err) }()
	err = r.Logs.ConsumeLogs(ctx, logs)
	return err
}

// Measure hands on what was measured until now, if something changed since the
// last time. What is refused is reported again the next time: it is cumulative.
func (r *Runner) Measure(ctx context.Context) (err error) {
	r.measuring.Lock()
	defer r.measuring.Unlock()
	next, obs := r.Metrics, r.Obs
	if next == nil {
		var done func()
		next, done = borrow(r, metricsOf)
		defer done()
		obs = nil // a connector counts by itself
	}
	if next == nil {
		return nil
	}
	metrics, changed := r.Meter.Metrics(time.Now(), r.Engine.Sizes())
	if !changed {
		return nil
	}
	if points := metrics.DataPointCount(); obs != nil {
		ctx = obs.StartMetricsOp(ctx)
		defer func() { obs.EndMetricsOp(ctx, format, points, err) }()
	}
	err = errPanicked
	if err = next.ConsumeMetrics(ctx, metrics); err != nil {
		r.Meter.Refused()
	}
	return err
}
