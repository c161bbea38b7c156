package mcpprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// mcpProcessor joins the truncator to the pipeline and to the processor's own
// metrics. It is safe for concurrent use.
type mcpProcessor struct {
	truncator *truncator // nil when off
	telemetry *metadata.TelemetryBuilder
}

func newProcessor(set component.TelemetrySettings, cfg *Config) (*mcpProcessor, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	p := &mcpProcessor{telemetry: telemetry}
	if cfg.Truncate.Enabled {
		p.truncator = newTruncator(&cfg.Truncate)
	}
	return p, nil
}

func (p *mcpProcessor) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	if p.truncator != nil {
		p.record(ctx, p.truncator.traces(td))
	}
	return td, nil
}

func (p *mcpProcessor) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	if p.truncator != nil {
		p.record(ctx, p.truncator.logs(ld))
	}
	return ld, nil
}

func (p *mcpProcessor) record(ctx context.Context, sum tally) {
	for i, t := range sum {
		if t.values > 0 {
			p.telemetry.McpProcessorTruncatedValues.Add(ctx, t.values, placeOptions[i])
			p.telemetry.McpProcessorTruncatedBytes.Add(ctx, t.bytes, placeOptions[i])
		}
	}
}

// placeOptions are made once, so that counting does not build attribute sets.
var placeOptions = func() (options [places]metric.AddOption) {
	for i, name := range placeNames {
		options[i] = metric.WithAttributeSet(attribute.NewSet(attribute.String("where", name)))
	}
	return options
}()
