package mcpreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/sharedcomponent"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// defaultEndpoint is next to OTLP's ports, and on this machine only.
const defaultEndpoint = "localhost:4319"

// NewFactory creates the factory of the mcp receiver.
func NewFactory() receiver.Factory {
	s := newSignals()
	return receiver.NewFactory(metadata.Type, createDefaultConfig,
		receiver.WithTraces(s.traces, metadata.TracesStability),
		receiver.WithLogs(s.logs, metadata.LogsStability),
		receiver.WithMetrics(s.metrics, metadata.MetricsStability))
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = defaultEndpoint
	http.IdleTimeout = 5 * time.Minute
	http.ReadHeaderTimeout = 10 * time.Second
	http.ReadTimeout = time.Minute // of a whole request: slow bodies must not hold memory
	http.MaxRequestBodySize = 20 << 20
	return &Config{
		HTTP:        configoptional.Some(http),
		TraceFiles:  TraceFilesConfig{PollInterval: time.Second},
		Webhooks:    defaultWebhooks(),
		Conventions: []string{conventionInspector, conventionOTel},
		Capture:     CaptureConfig{Payloads: true, PayloadKeys: []string{conventionInspector}},
		Session: SessionConfig{
			IdleTimeout: 30 * time.Minute, Linger: 2 * time.Minute, MaxSessions: 100_000, MaxSpans: 10_000,
		},
		Call:        CallConfig{StuckAfter: 2 * time.Minute, Timeout: time.Hour, MaxOpen: 100_000, MaxOpenBytes: 256 << 20},
		Host:        HostConfig{StalledAfter: 3 * time.Minute},
		Reminder:    ReminderConfig{Undeclared: undeclaredRecord},
		Log:         LogConfig{MinLevel: "debug"},
		Metrics:     MetricsConfig{Interval: 15 * time.Second},
		DropMethods: []string{mcpconv.MethodPing},

		StorageInterval: time.Second,
		Limits: LimitsConfig{
			LabelValues: 200, ProgressEvents: 64, TextBytes: 4096, NoticesPerSecond: 200, DedupeKeys: 64,
		},
	}
}

// signals makes one receiver for all signals of a configuration: they have one
// port and one state. It starts when the pipelines of all of them have, since one
// message may go to each.
type signals struct {
	instances *sharedcomponent.Instances[*Config, *mcpReceiver]
}

func newSignals() *signals {
	return &signals{sharedcomponent.NewReceivers[*Config, *mcpReceiver]()}
}

func (s *signals) get(set receiver.Settings, cfg component.Config) (*sharedcomponent.Share[*mcpReceiver], error) {
	c := cfg.(*Config)
	return s.instances.Get(c, func() (*mcpReceiver, error) { return newReceiver(set, c) })
}

func (s *signals) traces(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces,
) (receiver.Traces, error) {
	r, err := s.get(set, cfg)
	if err != nil {
		return nil, err
	}
	r.Unwrap().setTraces(next)
	return r, nil
}

func (s *signals) logs(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs,
) (receiver.Logs, error) {
	r, err := s.get(set, cfg)
	if err != nil {
		return nil, err
	}
	r.Unwrap().setLogs(next)
	return r, nil
}

func (s *signals) metrics(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics,
) (receiver.Metrics, error) {
	r, err := s.get(set, cfg)
	if err != nil {
		return nil, err
	}
	r.Unwrap().setMetrics(next)
	return r, nil
}
