package mcpprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

var capabilities = consumer.Capabilities{MutatesData: true}

// NewFactory creates the factory of the mcp processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability))
}

func createDefaultConfig() component.Config {
	return &Config{
		Truncate: TruncateConfig{Enabled: true, MaxBytes: defaultMaxBytes, Mode: ModePrefix},
		Stitch:   defaultStitch(),
	}
}

func createTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	p, err := newProcessor(set.TelemetrySettings, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	if stitch := &cfg.(*Config).Stitch; stitch.Enabled {
		return createStitched(ctx, set, cfg, newStitcher(set.TelemetrySettings, stitch, p.telemetry, next), p)
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, p.traces, processorhelper.WithCapabilities(capabilities))
}

func createLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	p, err := newProcessor(set.TelemetrySettings, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, p.logs, processorhelper.WithCapabilities(capabilities))
}

// createStitched puts the stitcher behind the truncator. It stops after it, so
// that nothing comes when everything was let go.
func createStitched(ctx context.Context, set processor.Settings, cfg component.Config, s *stitcher, p *mcpProcessor) (processor.Traces, error) {
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if err := s.observeWaiting(); err != nil {
		return nil, err
	}
	stop := func(ctx context.Context) error {
		defer p.telemetry.Shutdown()
		return s.Shutdown(ctx)
	}
	return processorhelper.NewTraces(ctx, set, cfg, s, p.traces, processorhelper.WithCapabilities(capabilities),
		processorhelper.WithStart(s.Start), processorhelper.WithShutdown(stop))
}
