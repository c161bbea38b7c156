package truncate

import (
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Mode selects how a value is cut.
type Mode string

const (
	// ModePrefix keeps the first bytes, up to the end of a UTF-8 character.
	ModePrefix Mode = "prefix"
	// ModeJSON closes what the cut leaves open, so that JSON stays JSON. A value
	// that is not JSON is cut as by [ModePrefix].
	ModeJSON Mode = "json"
)

// defaultMaxBytes is the Inspector's limit, 30 KiB.
const defaultMaxBytes = 30 * 1024

const (
	payloadSuffix  = "_json"
	flagSuffix     = mcpconv.TruncatedSuffix
	originalSuffix = "_original_bytes"
)

var defaultKeys = []string{
	"gen_ai.input.messages",
	"gen_ai.output.messages",
	"gen_ai.system_instructions",
	"gen_ai.tool.call.arguments",
	"gen_ai.tool.call.result",
	"mcp.dialect.status_message",
	"mcp.error.message",
	"mcp.llm.history_snapshot",
	"mcp.llm.system_prompt",
	"mcp.log.message",
	"mcp.reminder.body",
	"mcp.signal.prompt",
}

// Config says which values are too long and how they are cut.
type Config struct {
	// Enabled is false to leave every value as it is.
	Enabled bool `mapstructure:"enabled"`
	// MaxBytes is the maximum length of a value in bytes, at least 1. Flags are
	// added on top.
	MaxBytes int `mapstructure:"max_bytes"`
	// Mode is "prefix" or "json".
	Mode Mode `mapstructure:"mode"`
	// Keys are the attributes to cut besides those that end in "_json": whole
	// keys, no patterns. A list that is not empty replaces the default one.
	Keys []string `mapstructure:"keys"`
	// OriginalSize adds the length before the cut, in bytes.
	OriginalSize bool `mapstructure:"original_size"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ confmap.Validator = (*Config)(nil)

// DefaultConfig returns the defaults: on, 30 KiB, by prefix.
func DefaultConfig() Config {
	return Config{Enabled: true, MaxBytes: defaultMaxBytes, Mode: ModePrefix}
}

var (
	errMaxBytes = errors.New("max_bytes must be 1 or more (to cut nothing, set `enabled: false`)")
	errMode     = errors.New("mode must be `prefix` or `json`")
	errEmptyKey = errors.New("must not be empty: remove it, or name an attribute")
	errFlagKey  = errors.New("must not end in " + flagSuffix + ": name the attribute that the flag belongs to")
)

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	var errs []error
	if c.MaxBytes < 1 {
		errs = append(errs, fmt.Errorf("%w, not %d", errMaxBytes, c.MaxBytes))
	}
	if c.Mode != ModePrefix && c.Mode != ModeJSON {
		errs = append(errs, fmt.Errorf("%w, not %q", errMode, c.Mode))
	}
	for i, key := range c.Keys {
		if err := validateKey(key); err != nil {
			errs = append(errs, fmt.Errorf("keys::%d: %q %w", i, key, err))
		}
	}
	return errors.Join(errs...)
}

func validateKey(key string) error {
	switch {
	case key == "":
		return errEmptyKey
	case strings.HasSuffix(key, flagSuffix):
		return errFlagKey
	}
	return nil
}
