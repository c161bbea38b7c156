package mcpreceiver

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
	"github.com/otelcol-mcp/otelcol-mcp/internal/listener"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// mcpReceiver wires the ways in to the engine and the pipeline. It may be
// stopped without having been started, and twice.
type mcpReceiver struct {
	cfg       *Config
	set       receiver.Settings
	runner    *intake.Runner
	telemetry *metadata.TelemetryBuilder
	server    *listener.Server // nil if there is none
	sweeper   *sweeper
	stop      context.CancelFunc // of what runs in the background
	running   sync.WaitGroup

	stopReading context.CancelFunc // of the sources
	cutOff      context.CancelFunc // of what they hand on
	reading     sync.WaitGroup
	storage     storage.Client           // nil before Start, and without Start
	checkpoint  *checkpoint.Checkpointer // nil if open sessions are not stored
	webhooks    *listener.Server         // nil if there is none
	events      []*events.Source
}

func newReceiver(set receiver.Settings, cfg *Config) (*mcpReceiver, error) {
	own, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "http", ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	r := &mcpReceiver{cfg: cfg, set: set, telemetry: own}
	options := telemetryOptions(set, cfg)
	r.runner = &intake.Runner{
		Engine: session.New(sessionOptions(cfg, r.lost)), Build: options,
		Meter: telemetry.NewMeter(options, cfg.Limits.LabelValues, time.Now()),
		Obs:   obs, Telemetry: own, Logger: set.Logger,
		Bodies: body.NewBudget(cfg.Limits.inFlightBytes()),
	}
	r.sweeper = &sweeper{runner: r.runner, cfg: cfg, logger: set.Logger}
	return r, nil
}

// The pipelines are set before Start, each at most once.

func (r *mcpReceiver) setTraces(next consumer.Traces) { r.runner.Traces = next }

func (r *mcpReceiver) setLogs(next consumer.Logs) {
	r.runner.Logs, r.runner.Build.Logs = next, true
}

func (r *mcpReceiver) setMetrics(next consumer.Metrics) {
	r.runner.Metrics, r.runner.Build.Metrics = next, true
}

func (r *mcpReceiver) lost(kind string) {
	r.telemetry.McpReceiverLosses.Add(context.Background(), 1, metric.WithAttributes(attribute.String("kind", kind)))
}

// Start implements component.Component.
func (r *mcpReceiver) Start(ctx context.Context, host component.Host) error {
	if err := r.observeSizes(); err != nil {
		return err
	}
	if err := r.open(ctx, host); err != nil {
		return err
	}
	if r.cfg.HTTP.HasValue() {
		if err := r.serve(ctx, host, r.cfg.HTTP.Get()); err != nil {
			return err
		}
	}
	if err := r.read(ctx, host); err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.running.Go(func() { r.sweeper.run(running, host) })
	if saved := r.checkpoint; saved != nil {
		r.running.Go(func() { saved.Run(running, r.cfg.StorageInterval, r.reportCheckpoint(host)) })
	}
	if r.runner.Metrics != nil {
		r.running.Go(func() { r.sweeper.measure(running) })
	}
	return nil
}

func (r *mcpReceiver) observeSizes() error {
	t := r.runner.Engine
	observe := func(value func(emit.Sizes) int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value(t.Sizes()))
			return nil
		}
	}
	return errors.Join(
		r.telemetry.RegisterMcpReceiverOpenSessionsCallback(observe(func(s emit.Sizes) int64 { return int64(s.Sessions) })),
		r.telemetry.RegisterMcpReceiverOpenCallsCallback(observe(func(s emit.Sizes) int64 { return int64(s.Calls) })),
		r.telemetry.RegisterMcpReceiverOpenCallBytesCallback(observe(func(s emit.Sizes) int64 { return s.CallBytes })),
	)
}

// Shutdown implements component.Component: no new messages, then what is open is
// kept, or without storage ended, as far as the pipeline accepts it before ctx is
// done. What sources have in flight may end until then.
func (r *mcpReceiver) Shutdown(ctx context.Context) error {
	if r.stopReading != nil {
		r.stopReading()
		defer context.AfterFunc(ctx, r.cutOff)()
	}
	err := errors.Join(r.server.Shutdown(ctx), r.webhooks.Shutdown(ctx)) // nothing may come in while sessions end
	r.server, r.webhooks = nil, nil
	r.awaitSources()
	if r.stop != nil {
		r.stop()
		r.running.Wait()
		r.stop = nil
		err = errors.Join(err, r.saveOrEnd(ctx), r.runner.Measure(ctx))
	}
	err = errors.Join(err, r.closeStorage(ctx))
	r.telemetry.Shutdown()
	return err
}
