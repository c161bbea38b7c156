package checkedstorage

import (
	"context"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-mcp/otelcol-mcp/extension/checkedstorage/internal/metadata"
)

const defaultCheckTimeout = time.Minute

// NewFactory creates the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, createExtension, metadata.ExtensionStability)
}

func createDefaultConfig() component.Config {
	files := *filestorage.NewFactory().CreateDefaultConfig().(*filestorage.Config)
	files.Recreate = true // for what no check finds
	return &Config{Config: files, CheckTimeout: defaultCheckTimeout}
}

func createExtension(ctx context.Context, set extension.Settings, config component.Config) (extension.Extension, error) {
	cfg := config.(*Config)
	files := filestorage.NewFactory()
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	logger := set.Logger
	set.ID = component.NewIDWithName(files.Type(), set.ID.Name()) // which the factory wants
	inner, err := files.Create(ctx, set, &cfg.Config)
	if err != nil {
		return nil, err
	}
	return newStorage(cfg, logger, telemetry, inner)
}
