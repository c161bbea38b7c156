package mask

import (
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mask"
)

// Config says which secrets are replaced.
type Config struct {
	// Enabled is true to replace secrets.
	Enabled bool `mapstructure:"enabled"`
	// Rules are patterns (RE2) by name, besides the built-in rules.
	Rules map[string]string `mapstructure:"rules"`
	// Disable names built-in rules that are off.
	Disable []string `mapstructure:"disable"`
	// Keys are attributes and members whose whole value is replaced.
	Keys []string `mapstructure:"keys"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ confmap.Validator = (*Config)(nil)

// DefaultConfig returns the defaults: off, with all built-in rules.
func DefaultConfig() Config { return Config{} }

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	_, err := mask.New(c.options())
	return err
}

func (c *Config) options() mask.Options {
	return mask.Options{Rules: c.Rules, Disable: c.Disable, Keys: c.Keys}
}
