package normalize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
)

// Values of [Config.Conventions] and [Config.Also].
const (
	Inspector     = "inspector"
	OTel          = "otel"
	OpenInference = "openinference"
	Langfuse      = "langfuse"
)

// Config says which dialects are translated, and to what.
type Config struct {
	// Enabled is false to leave every span and log record as it is.
	Enabled bool `mapstructure:"enabled"`
	// Dialects are the names of those that are translated. Empty means all.
	Dialects []string `mapstructure:"dialects"`
	// Conventions are the families of keys that are added: "inspector", "otel".
	Conventions []string `mapstructure:"conventions"`
	// Also are the families of keys that some backends need besides:
	// "openinference", "langfuse". They are added to all spans of agents.
	Also []string `mapstructure:"also"`
	// RemoveOriginals removes the keys that were translated.
	RemoveOriginals bool `mapstructure:"remove_originals"`
	// RenameSpans gives spans the names that the semantic conventions want.
	RenameSpans bool `mapstructure:"rename_spans"`
	// Kinds sets the kind of spans whose instrumentation sets none.
	Kinds bool `mapstructure:"kinds"`
	// Status repairs statuses that differ from the semantic conventions.
	Status bool `mapstructure:"status"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ confmap.Validator = (*Config)(nil)

// DefaultConfig returns the defaults: all dialects, the keys of both conventions.
func DefaultConfig() Config {
	return Config{Enabled: true, Conventions: []string{Inspector, OTel}, Kinds: true, Status: true}
}

var errConventions = errors.New("conventions must name `inspector`, `otel` or both (to add nothing, set `enabled: false`)")

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	if !c.Enabled {
		return nil
	}
	errs := []error{
		known("dialects", c.Dialects, dialect.Names()),
		known("conventions", c.Conventions, []string{Inspector, OTel}),
		known("also", c.Also, []string{OpenInference, Langfuse}),
	}
	if len(c.Conventions) == 0 {
		errs = append(errs, errConventions)
	}
	return errors.Join(errs...)
}

func known(key string, values, names []string) error {
	var errs []error
	for i, value := range values {
		if !slices.Contains(names, value) {
			errs = append(errs, fmt.Errorf("%s::%d: %q is not one of %s", key, i, value, strings.Join(names, ", ")))
		}
	}
	return errors.Join(errs...)
}
