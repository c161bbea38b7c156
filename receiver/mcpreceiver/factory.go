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
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// defaultEndpoint is next to OTLP's ports, and on this machine only.
const defaultEndpoint = "localhost:4319"

// NewFactory creates the factory of the mcp receiver.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(metadata.Type, createDefaultConfig,
		receiver.WithTraces(createTraces, metadata.TracesStability))
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = defaultEndpoint
	http.IdleTimeout = 5 * time.Minute
	http.ReadTimeout = time.Minute // of a whole request: slow bodies must not hold memory
	http.MaxRequestBodySize = 20 << 20
	return &Config{
		HTTP:        configoptional.Some(http),
		Conventions: []string{conventionInspector, conventionOTel},
		Capture:     CaptureConfig{Payloads: true, PayloadKeys: []string{conventionInspector}},
		Session: SessionConfig{
			IdleTimeout: 30 * time.Minute, Linger: 2 * time.Minute, MaxSessions: 100_000, MaxSpans: 10_000,
		},
		Call:        CallConfig{Timeout: time.Hour, MaxOpen: 100_000, MaxOpenBytes: 256 << 20},
		DropMethods: []string{mcpconv.MethodPing},
		Limits:      LimitsConfig{LabelValues: 200, ProgressEvents: 64, TextBytes: 4096},
	}
}

func createTraces(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces,
) (receiver.Traces, error) {
	return newReceiver(set, cfg.(*Config), next)
}
