package mcpconnector

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// signal is what an edge of the connector leads to, in the order in which the edges
// are asked to work.
type signal uint8

const (
	toLogs signal = iota
	toTraces
	toMetrics
	nowhere
)

// mcpConnector takes what agents send into sessions. It may be stopped without
// having been started, and twice.
type mcpConnector struct {
	cfg       *Config
	set       connector.Settings
	telemetry *metadata.TelemetryBuilder
	decoders  sync.Pool
	runner    pipeline.Runner // its way to the pipelines
	logsBy    signal          // the edge that works on logs
	tracesBy  signal          // likewise

	sessions *pipeline.Service // the receiver's, or its own; nil before Start
	owned    bool              // they are its own
	ready    atomic.Bool       // what Start sets may be read
	stopped  atomic.Bool       // by Shutdown
	late     sync.Once         // says that agents' telemetry comes when the sessions have ended
	lend     *pipeline.Outlets // to the receiver
	takeBack func()            // of lend; nil if nothing is lent
	release  func()            // what was configured of the receiver's sessions; likewise
}

func newConnector(set connector.Settings, cfg *Config, decoder func() otlp.Decoder) (*mcpConnector, error) {
	own, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := &mcpConnector{cfg: cfg, set: set, telemetry: own, logsBy: nowhere, tracesBy: nowhere}
	c.decoders.New = func() any { return decoder() }
	return c, nil
}

// Start implements component.Component.
func (c *mcpConnector) Start(ctx context.Context, host component.Host) error {
	if err := c.prepare(ctx, host); err != nil {
		return err
	}
	c.ready.Store(true)
	return nil
}

// prepare sets what is to be known before data is accepted.
func (c *mcpConnector) prepare(ctx context.Context, host component.Host) error {
	c.runner.Counted, c.runner.Refused = c.counted, c.refused
	found, err := pipeline.Find(c.set.TelemetrySettings, c.cfg.Receiver)
	if err != nil {
		return err
	}
	if c.sessions = found; found == nil {
		return c.startOwn(ctx, host)
	}
	if !reflect.DeepEqual(c.cfg.Settings, pipeline.DefaultSettings()) {
		c.set.Logger.Warn("The receiver keeps the sessions: its keys hold, and those of the connector, but for agents, are ignored")
	}
	if c.release, err = c.sessions.ConfigureAgents(c.set.ID, c.cfg.Agents.options()); err != nil {
		return err
	}
	c.share(c.sessions.Runner)
	return nil
}

// share makes the connector work on the sessions of a receiver. Where one of the two
// has no pipeline for a signal, that of the other serves both.
func (c *mcpConnector) share(with *pipeline.Runner) {
	build := *with.Build
	build.Logs, build.Metrics = c.runner.Logs != nil, c.runner.Metrics != nil || with.Metrics != nil
	c.runner.Engine, c.runner.Meter, c.runner.Build = with.Engine, with.Meter, &build
	c.runner.Lend(&pipeline.Outlets{Traces: with.Traces, Logs: with.Logs})
	c.lend = &pipeline.Outlets{Traces: c.runner.Traces, Logs: c.runner.Logs, Metrics: c.runner.Metrics}
	c.takeBack = with.Lend(c.lend)
}

// startOwn starts sessions of its own: there is no receiver that has any.
func (c *mcpConnector) startOwn(ctx context.Context, host component.Host) error {
	build := c.cfg.TelemetryOptions(c.set.BuildInfo.Version)
	build.Logs, build.Metrics = c.runner.Logs != nil, c.runner.Metrics != nil
	c.runner.Engine, c.runner.Build = session.New(c.cfg.SessionOptions(c.lost)), build
	c.runner.Meter = telemetry.NewMeter(build, c.cfg.Limits.LabelValues, time.Now())
	c.runner.Engine.SetAgents(c.cfg.Agents.options())
	c.owned, c.sessions = true, &pipeline.Service{
		Runner: &c.runner, Settings: &c.cfg.Settings, Kind: component.KindConnector, ID: c.set.ID, Logger: c.set.Logger, Lost: c.lost,
	}
	if err := c.sessions.Open(ctx, host); err != nil {
		return err
	}
	c.sessions.Run()
	return nil
}

// Shutdown implements component.Component. The sessions of a receiver end with that.
func (c *mcpConnector) Shutdown(ctx context.Context) (err error) {
	c.stopped.Store(true)
	switch {
	case c.owned:
		err = errors.Join(c.sessions.Close(ctx), c.sessions.CloseStorage(ctx))
	case c.takeBack != nil:
		err = c.sessions.Return(ctx, c.lend)
		c.takeBack()
		c.release()
		c.takeBack = nil
	}
	c.telemetry.Shutdown()
	return err
}

// errNotRunning is retryable: what is sent again is accepted when the receiver that
// has the sessions runs.
var errNotRunning = errors.New("the mcp receiver that keeps the sessions does not run yet: agents' telemetry cannot be accepted now")

// errOver says that the sessions have ended. It is never returned to a sender.
var errOver = errors.New("the sessions have ended")

// enter begins to use the sessions.
func (c *mcpConnector) enter() (leave func(), err error) {
	switch {
	case c.stopped.Load():
		return nil, errOver
	case !c.ready.Load():
		return nil, errNotRunning
	case c.sessions.Enter():
		return c.sessions.Leave, nil
	case c.sessions.Over():
		return nil, errOver
	}
	return nil, errNotRunning
}

func (c *mcpConnector) lost(kind string) { c.lose(kind, 1) }

// refused counts what a pipeline refused for good that was made of the data.
func (c *mcpConnector) refused(kind string, n int) {
	if n == 0 {
		return
	}
	c.lose(kind, int64(n))
	c.set.Logger.Error("Pipeline permanently rejected what was made of agents' telemetry; it is lost",
		zap.String("kind", kind), zap.Int("count", n))
}

func (c *mcpConnector) lose(kind string, n int64) {
	c.telemetry.McpConnectorLosses.Add(context.Background(), n, metric.WithAttributes(attribute.String("kind", kind)))
}

func (c *mcpConnector) counted(ctx context.Context, _ string, counts map[string]int64) {
	for reason, n := range counts {
		c.note(ctx, reason, n)
	}
}

func (c *mcpConnector) note(ctx context.Context, reason string, n int64) {
	c.telemetry.McpConnectorNotedReports.Add(ctx, n, metric.WithAttributes(attribute.String("reason", reason)))
}
