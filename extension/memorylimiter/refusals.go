package memorylimiter

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter/internal/metadata"
)

// Why a request is refused, as its metric says.
const (
	forMemory   = "memory"
	forInFlight = "in_flight"
	forSlow     = "slow"
	forNested   = "nested"
)

// refusals counts requests that are refused over one transport. It does not wait.
type refusals struct {
	telemetry *metadata.TelemetryBuilder
	transport string
}

func (r refusals) add(reason string) {
	r.telemetry.MemoryLimiterRefusedRequests.Add(context.Background(), 1, metric.WithAttributes(
		attribute.String("reason", reason), attribute.String("transport", r.transport)))
}
