package mcpreceiver

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// mcpReceiver wires the ways in to the engine and the pipeline. It may be
// stopped without having been started, and twice.
type mcpReceiver struct {
	cfg         *Config
	set         receiver.Settings
	runner      *intake.Runner
	telemetry   *metadata.TelemetryBuilder
	sessions    *sessions
	server      *httpserver.Server // nil if there is none
	otlp        *otlp.Consumer
	otlpServers component.Component // nil if there are none

	stopReading context.CancelFunc // of the sources
	cutOff      context.CancelFunc // of what they hand on
	reading     sync.WaitGroup
	webhooks    *httpserver.Server // nil if there is none
	events      []*events.Source
}

func newReceiver(set receiver.Settings, cfg *Config, decoder func() protocol.Decoder) (*mcpReceiver, error) {
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
	options := cfg.telemetryOptions(set.BuildInfo.Version)
	options.Prices = cfg.Agents.table().Source()
	r.runner = &intake.Runner{
		Engine: session.New(cfg.sessionOptions(r.lost)), Build: options,
		Meter: telemetry.NewMeter(options, cfg.Limits.LabelValues, time.Now()), Obs: obs,
		Telemetry: own, Logger: set.Logger,
		Bodies: body.NewBudget(cfg.inFlightBytes()), HookKey: cfg.Hooks.headers(),
	}
	r.runner.Engine.SetAgents(cfg.Agents.options())
	r.otlp = newOTLP(r, decoder)
	r.sessions = &sessions{
		Runner: r.runner, Settings: &cfg.Settings, ID: set.ID,
		Logger: set.Logger, Lost: r.lost,
	}
	return r, nil
}

// The pipelines are set before Start, each at most once.

func (r *mcpReceiver) setTraces(next consumer.Traces) { r.runner.Traces = next }

func (r *mcpReceiver) setLogs(next consumer.Logs) {
	r.runner.Logs, r.runner.Build.Logs = next, true
	r.runner.Engine.ReportRows(true)
}

func (r *mcpReceiver) setMetrics(next consumer.Metrics) {
	r.runner.Metrics, r.runner.Build.Metrics = next, true
}

func (r *mcpReceiver) lost(kind string) { r.runner.Lost(context.Background(), kind) }

// Start implements component.Component.
func (r *mcpReceiver) Start(ctx context.Context, host component.Host) error {
	if err := r.observeSizes(); err != nil {
		return err
	}
	if err := r.sessions.open(ctx, host); err != nil {
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
	r.sessions.run()
	if r.cfg.OTLP.HasValue() {
		return r.serveOTLP(ctx, host, r.cfg.OTLP.Get())
	}
	return nil
}

func (r *mcpReceiver) observeSizes() error {
	t, own := r.runner.Engine, metric.WithAttributes(r.label())
	observe := func(value func(store.Sizes) int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value(t.Sizes()), own)
			return nil
		}
	}
	return errors.Join(
		r.telemetry.RegisterMcpReceiverOpenSessionsCallback(observe(func(s store.Sizes) int64 { return int64(s.Sessions) })),
		r.telemetry.RegisterMcpReceiverOpenCallsCallback(observe(func(s store.Sizes) int64 { return int64(s.Calls) })),
		r.telemetry.RegisterMcpReceiverOpenCallBytesCallback(observe(func(s store.Sizes) int64 { return s.CallBytes })),
	)
}

// label returns what keeps the gauges of several receivers apart: of values with the same
// attributes only the last one that is observed counts.
func (r *mcpReceiver) label() attribute.KeyValue {
	return attribute.String("receiver", r.set.ID.String())
}

// Shutdown implements component.Component: no new messages, then what is open is
// kept, or without storage ended, as far as the pipeline accepts it before ctx is
// done. What sources have in flight may end until then.
func (r *mcpReceiver) Shutdown(ctx context.Context) error {
	if r.stopReading != nil {
		r.stopReading()
		defer context.AfterFunc(ctx, r.cutOff)()
	}
	err := errors.Join(r.server.Shutdown(ctx), r.stopOTLP(ctx), r.webhooks.Shutdown(ctx)) // nothing may come in while sessions end
	r.server, r.webhooks = nil, nil
	r.awaitSources()
	err = errors.Join(err, r.sessions.close(ctx), r.sessions.closeStorage(ctx))
	r.telemetry.Shutdown()
	return err
}
