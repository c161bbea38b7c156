package memorylimiter

import (
	"context"
	"fmt"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"

	"github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter/internal/metadata"
)

// NewFactory creates the factory. Type and configuration are those of the
// collector's own.
func NewFactory() extension.Factory {
	own := memorylimiterextension.NewFactory()
	return extension.NewFactory(metadata.Type, own.CreateDefaultConfig, create, metadata.ExtensionStability)
}

func create(ctx context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	own, err := memorylimiterextension.NewFactory().Create(ctx, set, cfg)
	if err != nil {
		return nil, err
	}
	inner, ok := own.(limiter)
	if !ok {
		return nil, fmt.Errorf("%T is no middleware of servers", own)
	}
	config := cfg.(*memorylimiterextension.Config)
	limit, err := limitOf(config, memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem))
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &guarded{inner, heap{softLimit(config, limit), liveHeap}, newInFlight(limit), telemetry}, nil
}

// limiter is what the collector's own extension is.
type limiter interface {
	extension.Extension
	extensionmiddleware.HTTPServer
	extensionmiddleware.GRPCServer
	MustRefuse() bool
}
