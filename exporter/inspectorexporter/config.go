package inspectorexporter

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/confmap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
)

// Config configures the exporter.
type Config struct {
	// HTTP is the server of the web UI.
	HTTP confighttp.ServerConfig `mapstructure:"http"`
	// TracesDir is where session files go; in the user's state directory if empty.
	TracesDir string `mapstructure:"traces_dir"`
	// Retention is how long the files of a session stay after the last write.
	Retention time.Duration `mapstructure:"retention"`
	// MaxFileBytes is how big a file may get; the session goes on in another one.
	MaxFileBytes int64 `mapstructure:"max_file_bytes"`
	// MaxTotalBytes is how big all files may get; the oldest sessions go.
	MaxTotalBytes int64 `mapstructure:"max_total_bytes"`
	// MaxSessions is how many sessions are kept; the oldest go.
	MaxSessions int `mapstructure:"max_sessions"`
	// TraceURL is where the web UI links to; {trace_id} and {span_id} are replaced.
	TraceURL string `mapstructure:"trace_url"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

// Unmarshal decodes the configuration.
func (c *Config) Unmarshal(conf *confmap.Conf) error { return shared.Unmarshal(conf, c) }

// Validate checks the configuration.
func (c *Config) Validate() error {
	return errors.Join(
		c.validateRetention(),
		atLeast("max_file_bytes", c.MaxFileBytes, 1<<20),
		atLeast("max_total_bytes", c.MaxTotalBytes, c.MaxFileBytes),
		atLeast("max_sessions", int64(c.MaxSessions), 1),
		validateURL(c.TraceURL),
	)
}

func (c *Config) validateRetention() error {
	if c.Retention < time.Minute {
		return fmt.Errorf("retention must be at least 1m, it is %v: give a unit, as in 168h", c.Retention)
	}
	return nil
}

func atLeast(key string, n, least int64) error {
	if n < least {
		return fmt.Errorf("%s must be at least %d, it is %d", key, least, n)
	}
	return nil
}

// validateURL refuses what a link must not be, such as javascript:.
func validateURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(strings.NewReplacer("{trace_id}", "0", "{span_id}", "0").Replace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("trace_url must be an http or https URL, as in http://localhost:16686/trace/{trace_id}")
	}
	if !strings.Contains(text, "{trace_id}") {
		return errors.New("trace_url must contain {trace_id}, as in http://localhost:16686/trace/{trace_id}")
	}
	return nil
}

// dir is where session files go.
func (c *Config) dir() (string, error) {
	if c.TracesDir != "" {
		return expandHome(c.TracesDir)
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "otelcol-mcp", "sessions"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("traces_dir: there is no home directory, name one: %w", err)
	}
	return filepath.Join(home, ".local", "state", "otelcol-mcp", "sessions"), nil
}

func expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("traces_dir: there is no home directory for ~: %w", err)
	}
	return filepath.Join(home, rest), nil
}
