package mcpprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"
)

var mutatesData = processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true})

// NewFactory creates the factory of the mcp processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability))
}

func createDefaultConfig() component.Config {
	return &Config{Truncate: truncate.DefaultConfig(), Stitch: stitch.DefaultConfig()}
}

// createTraces puts the stitcher behind the truncator. It stops after it, so that
// no span arrives once all have left.
func createTraces(ctx context.Context, set processor.Settings, config component.Config, next consumer.Traces) (processor.Traces, error) {
	cfg := config.(*Config)
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	t := truncate.New(&cfg.Truncate, telemetry)
	if !cfg.Stitch.Enabled {
		return processorhelper.NewTraces(ctx, set, cfg, next, t.Traces, mutatesData)
	}
	s, err := stitch.New(ctx, set.TelemetrySettings, &cfg.Stitch, telemetry, next)
	if err != nil {
		return nil, err
	}
	stop := func(ctx context.Context) error {
		defer telemetry.Shutdown()
		return s.Shutdown(ctx)
	}
	return processorhelper.NewTraces(ctx, set, cfg, s, t.Traces, mutatesData,
		processorhelper.WithStart(s.Start), processorhelper.WithShutdown(stop))
}

func createLogs(ctx context.Context, set processor.Settings, config component.Config, next consumer.Logs) (processor.Logs, error) {
	cfg := config.(*Config)
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	t := truncate.New(&cfg.Truncate, telemetry)
	return processorhelper.NewLogs(ctx, set, cfg, next, t.Logs, mutatesData)
}
