package normalize

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// place is where a dialect was.
type place int

const (
	inSpan place = iota
	inLog
	places
)

var placeNames = [places]string{"span", "log"}

// maxDialects bounds the number of dialects.
const maxDialects = 32

// counts holds what was normalized of one batch, by dialect.
type counts [maxDialects]int64

// counter counts what was normalized.
type counter struct {
	telemetry *metadata.TelemetryBuilder
	options   [maxDialects][places]metric.AddOption
}

// newCounter makes the options once, so that counting does not build attribute sets.
func newCounter(d *dialect.Detector, telemetry *metadata.TelemetryBuilder) *counter {
	c := &counter{telemetry: telemetry}
	for i, t := range d.Tables {
		for at, name := range placeNames {
			set := attribute.NewSet(attribute.String("dialect", t.Name), attribute.String("where", name))
			c.options[i][at] = metric.WithAttributeSet(set)
		}
	}
	return c
}

func (c *counter) record(ctx context.Context, at place, counts *counts) {
	for i, n := range counts {
		if n > 0 {
			c.telemetry.McpProcessorNormalizedItems.Add(ctx, n, c.options[i][at])
		}
	}
}
