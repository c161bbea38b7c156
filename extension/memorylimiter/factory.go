package memorylimiter

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"
)

// NewFactory creates the factory. Type and configuration are those of the
// collector's own.
func NewFactory() extension.Factory {
	own := memorylimiterextension.NewFactory()
	return extension.NewFactory(own.Type(), own.CreateDefaultConfig, create, own.Stability())
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
	return &guarded{inner, newInFlight(cfg.(*memorylimiterextension.Config))}, nil
}

// limiter is what the collector's own extension is.
type limiter interface {
	extension.Extension
	extensionmiddleware.HTTPServer
	extensionmiddleware.GRPCServer
	MustRefuse() bool
}
