package mcpreceiver

import (
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

// Config configures the receiver.
type Config struct {
	// HTTP is the server that messages are pushed to.
	HTTP configoptional.Optional[confighttp.ServerConfig] `mapstructure:"http"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)
