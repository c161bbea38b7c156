package mcpreceiver

import (
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/mcpserver"
)

func mcpServerOptions(set receiver.Settings, c *Config) mcpserver.Options {
	return mcpserver.Options{
		Version:     set.BuildInfo.Version,
		MaxSessions: c.Session.MaxSessions, IdleTimeout: c.Session.IdleTimeout,
	}
}
