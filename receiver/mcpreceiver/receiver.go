package mcpreceiver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
	"github.com/otelcol-mcp/otelcol-mcp/internal/guard"
	"github.com/otelcol-mcp/otelcol-mcp/internal/listener"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/mcpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// maxPending is how many evicted sessions may wait for a pipeline that refuses.
const maxPending = 1000

// mcpReceiver wires the ways in to the tracker and the pipeline. It may be
// stopped without having been started, and twice.
type mcpReceiver struct {
	cfg       *Config
	set       receiver.Settings
	runner    *intake.Runner
	telemetry *metadata.TelemetryBuilder
	server    *listener.Server   // nil if there is none
	stop      context.CancelFunc // of the sweeper
	sweeper   sync.WaitGroup

	stopReading context.CancelFunc // of the sources
	reading     sync.WaitGroup
	storage     storage.Client     // nil before Start, and without Start
	keeper      *checkpoint.Keeper // nil if what is open is not kept
	webhooks    *listener.Server   // nil if there is none
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
	options := buildOptions(set, cfg)
	r.runner = &intake.Runner{
		Engine: session.New(r.sessionOptions()), Build: options,
		Meter: telemetry.NewMeter(options, cfg.Limits.LabelValues, time.Now()),
		Obs:   obs, Telemetry: own, Logger: set.Logger,
		Bodies: body.NewBudget(cfg.Limits.inFlightBytes()),
	}
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

func (r *mcpReceiver) sessionOptions() session.Options {
	c := r.cfg
	opt := session.Options{
		Namespace: c.Namespace, IdleTimeout: c.Session.IdleTimeout, Linger: c.Session.Linger,
		MaxSessions: c.Session.MaxSessions, MaxSpans: c.Session.MaxSpans,
		CallTimeout: c.Call.Timeout, MaxOpenCalls: c.Call.MaxOpen, MaxOpenBytes: c.Call.MaxOpenBytes,
		ProgressEvents: c.Limits.ProgressEvents, TextBytes: c.Limits.TextBytes,
		KeepPayloads: c.Capture.Payloads, KeepEnvelopes: c.Capture.Envelopes,
		DropMethods: map[string]bool{}, MaxPending: maxPending,
		Lost:       r.lost,
		StuckAfter: c.Call.StuckAfter, StalledAfter: c.Host.StalledAfter,
		InBand:           c.InBand,
		NoticesPerSecond: c.Limits.NoticesPerSecond, DedupeKeys: c.Limits.DedupeKeys,
		DropUndeclared: c.Reminder.Undeclared == undeclaredDrop, MinLevel: mcpconv.Levels[c.Log.MinLevel],
	}
	for _, method := range c.DropMethods {
		opt.DropMethods[method] = true
	}
	return opt
}

func (r *mcpReceiver) lost(kind string) {
	r.telemetry.McpReceiverLosses.Add(context.Background(), 1, metric.WithAttributes(attribute.String("kind", kind)))
}

func buildOptions(set receiver.Settings, c *Config) *telemetry.Options {
	return &telemetry.Options{
		Inspector:        slices.Contains(c.Conventions, conventionInspector),
		OTel:             slices.Contains(c.Conventions, conventionOTel),
		Payloads:         c.Capture.Payloads,
		PayloadInspector: slices.Contains(c.Capture.PayloadKeys, conventionInspector),
		PayloadOTel:      slices.Contains(c.Capture.PayloadKeys, conventionOTel),
		TextBytes:        c.Limits.TextBytes,
		ServiceName:      c.ServiceName,
		ScopeName:        metadata.ScopeName,
		ScopeVersion:     set.BuildInfo.Version,
		Names:            telemetry.NewNames(c.Limits.LabelValues),
	}
}

func (r *mcpReceiver) mcpOptions() mcpserver.Options {
	return mcpserver.Options{
		Version:     r.set.BuildInfo.Version,
		MaxSessions: r.cfg.Session.MaxSessions, IdleTimeout: r.cfg.Session.IdleTimeout,
	}
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
	sweeping, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.sweeper.Go(func() { r.sweep(sweeping, host) })
	if kept := r.keeper; kept != nil {
		r.sweeper.Go(func() { kept.Run(sweeping, r.cfg.StorageInterval, r.keeping(host)) })
	}
	if r.runner.Metrics != nil {
		r.sweeper.Go(func() { r.measure(sweeping) })
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

func (r *mcpReceiver) serve(ctx context.Context, host component.Host, cfg *confighttp.ServerConfig) error {
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	mcpserver.Register(mux, r.runner, r.mcpOptions())
	server, err := r.listen(ctx, host, cfg, "http::endpoint", mux, func(addr net.Addr) http.Handler {
		return guard.New(addr, cfg).Wrap(mux)
	})
	if err != nil {
		return err
	}
	r.server = server
	r.set.Logger.Info("Listening for MCP messages", zap.Stringer("endpoint", server.Addr()))
	return nil
}

// listen starts one of the receiver's servers, of which key is the endpoint's.
func (r *mcpReceiver) listen(
	ctx context.Context, host component.Host, cfg *confighttp.ServerConfig, key string,
	mux *http.ServeMux, handler func(net.Addr) http.Handler,
) (*listener.Server, error) {
	return listener.Start(ctx, listener.Settings{
		Config: cfg, Key: "receivers::" + r.set.ID.String() + "::" + key, Host: host, Telemetry: r.set.TelemetrySettings,
		Handler: handler, Options: r.runner.Bodies.Decoders(cfg), Outermost: r.noteMiddleware(cfg, mux),
	})
}

// Shutdown implements component.Component: no new messages, then what is open is
// kept, or without storage ended, as far as the pipeline takes it before ctx is
// done.
func (r *mcpReceiver) Shutdown(ctx context.Context) error {
	err := errors.Join(r.server.Shutdown(ctx), r.webhooks.Shutdown(ctx)) // nothing may come in while sessions end
	r.server, r.webhooks = nil, nil
	r.stopSources()
	if r.stop != nil {
		r.stop()
		r.sweeper.Wait()
		r.stop = nil
		err = errors.Join(err, r.leave(ctx), r.runner.Measure(ctx))
	}
	err = errors.Join(err, r.closeStorage(ctx))
	r.telemetry.Shutdown()
	return err
}

// Delays between attempts to hand on what a pipeline refused.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// drain ends what is open. A pipeline that refuses is asked again until ctx is
// done, but not for ever when ctx never is.
func (r *mcpReceiver) drain(ctx context.Context) error {
	const attempts = 5
	delays := retry.New(firstRetry, lastRetry)
	for more := true; more; {
		err := retry.Do(ctx, delays, attempts, func() (err error) {
			more, err = r.runner.Sweep(ctx, true)
			return err
		})
		if err != nil {
			break
		}
	}
	return r.left()
}

// left is an error if sessions are still open.
func (r *mcpReceiver) left() error {
	if n := r.runner.Engine.Sizes().Sessions; n > 0 {
		return fmt.Errorf("%d open sessions were lost: no pipeline took their end in time", n)
	}
	return nil
}
