package intake

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

var errPanicked = errors.New("the pipeline panicked")

// format names what comes in for obsreport.
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

// Consume hands on traces first, then logs, even if the traces are refused permanently.
// If the logs are refused for now, both come again, the spans with the same IDs.
func (r *Runner) Consume(ctx context.Context, batch *telemetry.Batch) error {
	traces, spans := batch.Traces()
	noTraces := r.forward(ctx, traces, spans)
	if !Kept(noTraces) {
		return noTraces
	}
	logs, records := batch.Logs()
	noLogs := r.forwardLogs(ctx, logs, records)
	if !Kept(noLogs) {
		return noLogs
	}
	r.CountRefused("span", spans, noTraces)
	r.CountRefused("log record", records, noLogs)
	return errors.Join(noTraces, noLogs)
}

// CountRefused counts and logs what a pipeline refused permanently: it is lost. err is that
// of the pipeline, or nil.
func (r *Runner) CountRefused(kind string, n int, err error) {
	if err == nil || n == 0 {
		return
	}
	r.lost(context.Background(), kind, int64(n))
	r.Logger.Error("Pipeline permanently rejected telemetry; it is lost", zap.String("kind", kind), zap.Int("count", n))
}

// ForwardTraces hands on spans, of which as many were made by this receiver: obsreport
// counts only those.
func (r *Runner) ForwardTraces(ctx context.Context, traces ptrace.Traces, made int) error {
	if made == 0 && r.Traces != nil && traces.ResourceSpans().Len() > 0 {
		return r.Traces.ConsumeTraces(ctx, traces)
	}
	return r.forward(ctx, traces, made)
}

// ForwardLogs hands on log records likewise.
func (r *Runner) ForwardLogs(ctx context.Context, logs plog.Logs, made int) error {
	if made == 0 && r.Logs != nil && logs.ResourceLogs().Len() > 0 {
		return r.Logs.ConsumeLogs(ctx, logs)
	}
	return r.forwardLogs(ctx, logs, made)
}

func (r *Runner) forward(ctx context.Context, traces ptrace.Traces, spans int) error {
	if spans == 0 || r.Traces == nil {
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

func (r *Runner) forwardLogs(ctx context.Context, logs plog.Logs, records int) error {
	if records == 0 || r.Logs == nil {
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
	if r.Metrics == nil {
		return nil
	}
	metrics, changed := r.Meter.Metrics(time.Now(), r.Engine.Sizes())
	if !changed {
		return nil
	}
	if points := metrics.DataPointCount(); r.Obs != nil {
		ctx = r.Obs.StartMetricsOp(ctx)
		defer func() { r.Obs.EndMetricsOp(ctx, format, points, err) }()
	}
	err = errPanicked
	if err = r.Metrics.ConsumeMetrics(ctx, metrics); err != nil {
		r.Meter.Refused()
	}
	return err
}
