// Package intake holds what all ways in have in common: a transaction with the
// engine, whose telemetry is handed on before it is committed.
package intake

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

var errPanicked = errors.New("the pipeline panicked")

// format is what obsreport calls what comes in.
const format = "mcp"

// Runner runs transactions. Its methods are safe for concurrent use.
type Runner struct {
	Engine    *session.Engine
	Build     *telemetry.Options
	Meter     *telemetry.Meter
	Traces    consumer.Traces  // nil if no pipeline accepts them, as are the next
	Logs      consumer.Logs    //
	Metrics   consumer.Metrics //
	Obs       *receiverhelper.ObsReport
	Telemetry *metadata.TelemetryBuilder
	Logger    *zap.Logger
	Bodies    *body.Budget // of requests in flight; nil for no bound
	// Deliveries bounds what sources hand on, see [Runner.Delivery]; nil if it ends
	// with their reading.
	Deliveries context.Context //nolint:containedctx // of all sources
	// Sync stores what is open before a request is answered; nil if that may wait.
	Sync     func(context.Context) error
	unstored atomic.Bool // the last Sync failed
}

// Run lets apply report to the engine what was observed, and sends the resulting
// telemetry to the pipelines. If apply or a pipeline fails, the sessions are as they were before. apply
// may be called several times, and must then start again.
func (r *Runner) Run(ctx context.Context, endpoint string, apply func(*session.Tx, int64) error) error {
	now := time.Now().UnixNano()
	var tx *session.Tx
	for {
		batch := telemetry.NewBatch(r.Build, now)
		former := tx
		tx = r.Engine.Begin(now, batch, former)
		former.Release()
		again, err := r.try(ctx, endpoint, tx, batch, apply)
		batch.Release()
		if !again {
			tx.Release()
			return err
		}
	}
}

// try is one attempt of Run; again if it must be repeated.
func (r *Runner) try(
	ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch, apply func(*session.Tx, int64) error,
) (again bool, err error) {
	defer tx.Rollback() // of what is not settled, after a panic too
	if err = apply(tx, tx.Now()); err == nil {
		tx.Finish()
		return false, r.deliver(ctx, endpoint, tx, batch)
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
	now := time.Now()
	batch := telemetry.NewBatch(r.Build, now.UnixNano())
	sweep := r.Engine.Sweep
	if drain {
		sweep = r.Engine.Drain
	}
	tx, found := sweep(batch, now)
	if !found {
		tx.Rollback()
		return false, nil
	}
	defer tx.Rollback()
	err := r.consume(ctx, batch)
	if err != nil && !consumererror.IsPermanent(err) {
		tx.Rollback()
		return true, err
	}
	tx.Commit() // what is refused permanently would always be refused
	r.Meter.Add(batch.Samples())
	r.count(ctx, "", tx.Counts())
	return true, err
}

// deliver hands the batch on, then commits or rolls back.
func (r *Runner) deliver(ctx context.Context, endpoint string, tx *session.Tx, batch *telemetry.Batch) error {
	if err := r.consume(ctx, batch); err != nil {
		tx.Rollback()
		return err
	}
	tx.Commit()
	r.Meter.Add(batch.Samples())
	r.count(ctx, endpoint, tx.Counts())
	return nil
}

// consume hands on traces first, then logs. If the logs are refused, both come
// again, the spans with the same IDs.
func (r *Runner) consume(ctx context.Context, batch *telemetry.Batch) error {
	if err := r.consumeTraces(ctx, batch); err != nil {
		return err
	}
	return r.consumeLogs(ctx, batch)
}

func (r *Runner) consumeTraces(ctx context.Context, batch *telemetry.Batch) error {
	traces, spans := batch.Traces()
	return r.forward(ctx, traces, spans)
}

// Forward hands on spans that others made, as they are.
func (r *Runner) Forward(ctx context.Context, traces ptrace.Traces) error {
	return r.forward(ctx, traces, traces.SpanCount())
}

func (r *Runner) forward(ctx context.Context, traces ptrace.Traces, spans int) error {
	if spans == 0 || r.Traces == nil {
		return nil
	}
	ctx = r.Obs.StartTracesOp(ctx)
	err := errPanicked
	defer func() { r.Obs.EndTracesOp(ctx, format, spans, err) }()
	err = r.Traces.ConsumeTraces(ctx, traces)
	return err
}

func (r *Runner) consumeLogs(ctx context.Context, batch *telemetry.Batch) error {
	logs, records := batch.Logs()
	if records == 0 || r.Logs == nil {
		return nil
	}
	ctx = r.Obs.StartLogsOp(ctx)
	err := errPanicked
	defer func() { r.Obs.EndLogsOp(ctx, format, records, err) }()
	err = r.Logs.ConsumeLogs(ctx, logs)
	return err
}

// Measure hands on what was measured until now, if something changed since the
// last time. What is refused is reported again the next time: it is cumulative.
func (r *Runner) Measure(ctx context.Context) error {
	metrics, changed := r.Meter.Metrics(time.Now(), r.Engine.Sizes())
	if !changed || r.Metrics == nil {
		return nil
	}
	points := metrics.DataPointCount()
	ctx = r.Obs.StartMetricsOp(ctx)
	err := errPanicked
	defer func() { r.Obs.EndMetricsOp(ctx, format, points, err) }()
	if err = r.Metrics.ConsumeMetrics(ctx, metrics); err != nil {
		r.Meter.Refused()
	}
	return err
}

// count turns what the engine noticed into the component's own metrics.
func (r *Runner) count(ctx context.Context, endpoint string, counts map[string]int64) {
	for what, n := range counts {
		switch what {
		case emit.BadContext:
			r.BadContexts(ctx, endpoint, n)
		case emit.SessionEvicted:
			r.evicted(ctx, "session", n)
		case emit.CallEvicted:
			r.evicted(ctx, "call", n)
		case emit.FloodBegins:
			r.Logger.Warn("Session exceeds limits::notices_per_second; dropping and counting the rest")
		case emit.HostRepeated, emit.BelowLevel, emit.Undeclared, emit.Flood, emit.StreamUpdate, emit.ForeignSpan:
			r.Dropped(ctx, endpoint, what, n)
		default:
			r.Invalid(ctx, endpoint, what, n)
		}
	}
}

// Dropped counts messages that were left out on purpose.
func (r *Runner) Dropped(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverDroppedMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

func (r *Runner) evicted(ctx context.Context, kind string, n int64) {
	r.Telemetry.McpReceiverEvictions.Add(ctx, n, metric.WithAttributes(attribute.String("kind", kind)))
}

// Lost counts what is lost.
func (r *Runner) Lost(ctx context.Context, kind string) {
	r.Telemetry.McpReceiverLosses.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", kind)))
}

// BadContexts counts trace contexts that are not valid.
func (r *Runner) BadContexts(ctx context.Context, endpoint string, n int64) {
	r.Telemetry.McpReceiverInvalidTraceContexts.Add(ctx, n, metric.WithAttributes(attribute.String("endpoint", endpoint)))
}

// Invalid counts messages that were accepted although something is wrong with them.
func (r *Runner) Invalid(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverInvalidMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

// Accepted counts messages that the pipelines accepted.
func (r *Runner) Accepted(ctx context.Context, endpoint string, n int64) {
	if n > 0 {
		r.Telemetry.McpReceiverAcceptedMessages.Add(ctx, n, metric.WithAttributes(attribute.String("endpoint", endpoint)))
	}
}

// Rejected counts messages that could not be read or that a pipeline refused.
func (r *Runner) Rejected(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverRejectedMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

// label is a reason in the form that metric attributes have.
func label(reason string) string { return strings.ReplaceAll(strings.ToLower(reason), " ", "_") }
