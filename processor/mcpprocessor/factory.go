package mcpprocessor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/mask"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/normalize"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"
)

// NewFactory creates the factory of the mcp processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability),
		processor.WithMetrics(createMetrics, metadata.MetricsStability))
}

func createDefaultConfig() component.Config {
	return &Config{
		Normalize: normalize.DefaultConfig(), Mask: mask.DefaultConfig(), Truncate: truncate.DefaultConfig(), Stitch: stitch.DefaultConfig(),
	}
}

// mutates says whether anything that is on changes data. Stitching in either mode
// changes spans that it lets through.
func mutates(on ...bool) processorhelper.Option {
	return processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: slices.Contains(on, true)})
}

// createTraces puts the masker behind the normalizer, so that what that adds is
// masked too, and before the truncator, because half a secret may not be recognized.
// The stitcher is behind all of them. It stops after them, so that no span arrives
// once all have left.
func createTraces(ctx context.Context, set processor.Settings, config component.Config, next consumer.Traces) (processor.Traces, error) {
	cfg := config.(*Config)
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	m, err := mask.New(&cfg.Mask, telemetry)
	if err != nil {
		return nil, err
	}
	n, t := normalize.New(&cfg.Normalize, telemetry), truncate.New(&cfg.Truncate, telemetry)
	process := func(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
		td, err := n.Traces(ctx, td)
		if err != nil {
			return td, err
		}
		if td, err = m.Traces(ctx, td); err != nil {
			return td, err
		}
		return t.Traces(ctx, td)
	}
	capabilities := mutates(cfg.Normalize.Enabled, cfg.Mask.Enabled, cfg.Truncate.Enabled, cfg.Stitch.Enabled)
	if !cfg.Stitch.Enabled {
		return processorhelper.NewTraces(ctx, set, cfg, next, process, capabilities)
	}
	s, err := stitch.New(ctx, set, &cfg.Stitch, telemetry, next)
	if err != nil {
		return nil, err
	}
	stop := func(ctx context.Context) error {
		defer telemetry.Shutdown()
		return s.Shutdown(ctx)
	}
	return processorhelper.NewTraces(ctx, set, cfg, s, process, capabilities,
		processorhelper.WithStart(s.Start), processorhelper.WithShutdown(stop))
}

func createLogs(ctx context.Context, set processor.Settings, config component.Config, next consumer.Logs) (processor.Logs, error) {
	cfg := config.(*Config)
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	m, err := mask.New(&cfg.Mask, telemetry)
	if err != nil {
		return nil, err
	}
	n, t := normalize.New(&cfg.Normalize, telemetry), truncate.New(&cfg.Truncate, telemetry)
	process := func(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
		ld, err := n.Logs(ctx, ld)
		if err != nil {
			return ld, err
		}
		if ld, err = m.Logs(ctx, ld); err != nil {
			return ld, err
		}
		return t.Logs(ctx, ld)
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, process, mutates(cfg.Normalize.Enabled, cfg.Mask.Enabled, cfg.Truncate.Enabled))
}

// createMetrics masks, if that is on: the other three are about traces and logs.
func createMetrics(ctx context.Context, set processor.Settings, config component.Config, next consumer.Metrics) (processor.Metrics, error) {
	cfg := config.(*Config)
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	m, err := mask.New(&cfg.Mask, telemetry)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewMetrics(ctx, set, cfg, next, m.Metrics, mutates(cfg.Mask.Enabled))
}
