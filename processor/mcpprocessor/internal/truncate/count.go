package truncate

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// place names what a value was part of.
type place int

const (
	inResource place = iota
	inScope
	inSpan
	inEvent
	inLink
	inLog
	inBody
	inStatus
	places
)

var placeNames = [places]string{"resource", "scope", "span", "event", "link", "log", "body", "status"}

// counts holds what was cut from one batch, by place. It lives on the stack, so
// that a batch in which nothing is cut costs no allocation and no counter.
type counts [places]struct{ values, bytes int64 }

func (c *counts) add(at place, bytes int) {
	c[at].values++
	c[at].bytes += int64(bytes)
}

func (c *counts) record(ctx context.Context, to *metadata.TelemetryBuilder) {
	for i, n := range c {
		if n.values > 0 {
			to.McpProcessorTruncatedValues.Add(ctx, n.values, placeOptions[i])
			to.McpProcessorTruncatedBytes.Add(ctx, n.bytes, placeOptions[i])
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
