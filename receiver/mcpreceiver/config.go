package mcpreceiver

import (
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
)

// Config configures the receiver.
type Config struct {
	// HTTP is the server that messages are pushed to; `enabled: false` turns it off.
	HTTP configoptional.Optional[confighttp.ServerConfig] `mapstructure:"http"`
	// OTLP is the OTLP receiver for agents, frameworks and everything else; off if the
	// key is missing.
	OTLP configoptional.Optional[OTLPConfig] `mapstructure:"otlp"`
	// Agents configures how agents' reports are joined.
	Agents AgentsConfig `mapstructure:"agents"`
	// Hooks says which sessions agents' hooks are of.
	Hooks HooksConfig `mapstructure:"hooks"`
	// Inspector are the event streams of mcp-agent Inspectors to read.
	Inspector []InspectorConfig `mapstructure:"inspector"`
	// TraceFiles are the Inspector's trace files to read; none if nothing is included.
	TraceFiles TraceFilesConfig `mapstructure:"trace_files"`
	// Events are the MCP servers whose events are subscribed to.
	Events []EventsConfig `mapstructure:"events"`
	// Webhooks takes deliveries of events.
	Webhooks WebhooksConfig `mapstructure:"webhooks"`
	// Settings are the keys of sessions.
	Settings `mapstructure:",squash"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

// Unmarshal decodes the configuration.
func (c *Config) Unmarshal(conf *confmap.Conf) error { return shared.Unmarshal(conf, c) }

// Validate checks the configuration.
func (c *Config) Validate() error {
	return errors.Join(c.Agents.check(), c.Hooks.check(), c.validateSources(), c.validateEvents(), c.check())
}
