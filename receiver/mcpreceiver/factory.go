package mcpreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
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
		HTTP:       configoptional.Some(http),
		OTLP:       defaultOTLP(),
		Agents:     defaultAgents(),
		TraceFiles: TraceFilesConfig{PollInterval: time.Second},
		Webhooks:   defaultWebhooks(),
		Settings:   defaultSettings(),
	}
}

// signals makes one receiver for all signals of a configuration: they have one
// port and one state. It starts when the pipelines of all of them have, since one
// message may go to each.
type signals struct {
	instances *shared.Instances[*Config, *mcpReceiver]
}

func newSignals() *signals {
	return &signals{shared.NewInstances[*Config, *mcpReceiver]()}
}

func (s *signals) get(set receiver.Settings, cfg component.Config) (*shared.Share[*mcpReceiver], error) {
	c := cfg.(*Config)
	return s.instances.Get(c, shared.FromOutside, func() (*mcpReceiver, error) { return newReceiver(set, c, newDecoder) })
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
