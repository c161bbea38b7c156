package mcpreceiver

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/confmap"
)

// InspectorConfig is an event stream to read.
type InspectorConfig struct {
	// ClientConfig says where it is: http://localhost:7800/_inspector/events.
	confighttp.ClientConfig `mapstructure:",squash"`
	// FetchTraces gets the spans of each session that ends, from /trace beside it.
	FetchTraces bool `mapstructure:"fetch_traces"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ confmap.Unmarshaler = (*InspectorConfig)(nil)

// Unmarshal starts from the defaults of an HTTP client.
func (c *InspectorConfig) Unmarshal(conf *confmap.Conf) error {
	c.ClientConfig = confighttp.NewDefaultClientConfig()
	return conf.Unmarshal(c)
}

// TraceFilesConfig says which trace files are read.
type TraceFilesConfig struct {
	// Include are globs; a leading ~ is the home directory.
	Include []string `mapstructure:"include"`
	// PollInterval is the interval at which they are looked at.
	PollInterval time.Duration `mapstructure:"poll_interval"`
	_            struct{}
}

var errEndpoint = errors.New("must be an http or https URL, as in http://localhost:7800/_inspector/events")

func (c *Config) validateSources() error {
	var errs error
	for i := range c.Inspector {
		u, err := url.Parse(c.Inspector[i].Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			errs = errors.Join(errs, fmt.Errorf("inspector::%d::endpoint %w", i, errEndpoint))
		}
	}
	for i, pattern := range c.TraceFiles.Include {
		if _, err := filepath.Match(pattern, ""); err != nil || pattern == "" {
			errs = errors.Join(errs, fmt.Errorf("trace_files::include::%d is not a pattern of file names, as in ~/.mcp_traces/*.jsonl.gz", i))
		}
	}
	if len(c.TraceFiles.Include) > 0 && c.TraceFiles.PollInterval < 10*time.Millisecond {
		errs = errors.Join(errs, fmt.Errorf("trace_files::poll_interval must be at least 10ms, it is %v: give a unit, as in 1s", c.TraceFiles.PollInterval))
	}
	return errs
}
