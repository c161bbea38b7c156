package mcpprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"
)

var capabilities = consumer.Capabilities{MutatesData: true}

// NewFactory creates the factory of the mcp processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability))
}

func createDefaultConfig() component.Config {
	return &Config{Truncate: truncate.DefaultConfig(), Stitch: defaultStitch()}
}

func createTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	t := truncate.New(&cfg.(*Config).Truncate, telemetry)
	if stitch := &cfg.(*Config).Stitch; stitch.Enabled {
		return createStitched(ctx, set, cfg, newStitcher(set.TelemetrySettings, stitch, telemetry, next), t)
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, t.Traces, processorhelper.WithCapabilities(capabilities))
}

func createLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	t := truncate.New(&cfg.(*Config).Truncate, telemetry)
	return processorhelper.NewLogs(ctx, set, cfg, next, t.Logs, processorhelper.WithCapabilities(capabilities))
}

// createStitched puts the stitcher behind the truncator. It stops after it, so
// that nothing arrives once everything has left.
func createStitched(ctx context.Context, set processor.Settings, cfg component.Config, s *stitcher, t *truncate.Truncator) (processor.Traces, error) {
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if err := s.observeWaiting(); err != nil {
		return nil, err
	}
	stop := func(ctx context.Context) error {
		defer s.telemetry.Shutdown()
		return s.Shutdown(ctx)
	}
	return processorhelper.NewTraces(ctx, set, cfg, s, t.Traces, processorhelper.WithCapabilities(capabilities),
		processorhelper.WithStart(s.Start), processorhelper.WithShutdown(stop))
}
