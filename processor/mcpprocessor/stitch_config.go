package mcpprocessor

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// StitchMode is the way two traces are joined.
type StitchMode string

const (
	// StitchRewrite puts the server's trace into the client's.
	StitchRewrite StitchMode = "rewrite"
	// StitchLink gives the later of the two spans a link to the other.
	StitchLink StitchMode = "link"
)

// IndexType is where claims and decisions are kept.
type IndexType string

const (
	// IndexMemory is this process alone.
	IndexMemory IndexType = "memory"
	// IndexRedis is a Redis or Valkey that all replicas share.
	IndexRedis IndexType = "redis"
)

// StitchConfig says which spans belong together and how long they wait.
type StitchConfig struct {
	// Enabled is false to let every trace through as it is.
	Enabled bool `mapstructure:"enabled"`
	// Mode is "rewrite" or "link".
	Mode StitchMode `mapstructure:"mode"`
	// Keys are the attributes whose equal value joins two spans; the first one
	// that a span has counts.
	Keys []string `mapstructure:"keys"`
	// ClientNames are names of spans that are a client's whatever their kind.
	ClientNames []string `mapstructure:"client_names"`
	// ServerNames are names of roots that are a server's whatever their kind.
	ServerNames []string `mapstructure:"server_names"`
	// Wait is how long a trace waits after its last span.
	Wait time.Duration `mapstructure:"wait"`
	// MaxWait is how long a trace waits in all.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Remember is how long claims and decisions are kept.
	Remember time.Duration `mapstructure:"remember"`
	// MaxSpans is how many spans may wait, and how many claims, roots and
	// decisions are kept.
	MaxSpans int `mapstructure:"max_spans"`
	// MaxBytes is how much memory the waiting spans may take.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// Index is where claims and decisions are kept.
	Index IndexConfig `mapstructure:"index"`
	// prevent unkeyed literal initialization
	_ struct{}
}

// IndexConfig says where claims and decisions are kept; all but Type is Redis'.
type IndexConfig struct {
	// Type is "memory" or "redis".
	Type IndexType `mapstructure:"type"`
	// Endpoint is the server's host and port.
	Endpoint string `mapstructure:"endpoint"`
	// TLS is how the server is talked to. Unset: in plain.
	TLS *configtls.ClientConfig `mapstructure:"tls"`
	// Username is the user of Redis' ACL; empty: its default user.
	Username string `mapstructure:"username"`
	// Password is the user's.
	Password configopaque.String `mapstructure:"password"`
	// KeyPrefix stands before every key, so that several systems can share a server.
	KeyPrefix string `mapstructure:"key_prefix"`
	// TTL is how long the server keeps a key. 0: as long as Remember.
	TTL time.Duration `mapstructure:"ttl"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ component.Config  = (*StitchConfig)(nil)
	_ confmap.Validator = (*StitchConfig)(nil)
	_ confmap.Validator = (*IndexConfig)(nil)
)

func defaultStitch() StitchConfig {
	return StitchConfig{
		Enabled:     true,
		Mode:        StitchRewrite,
		Keys:        []string{mcpconv.RequestID},
		ClientNames: []string{mcpconv.SpanTool},
		ServerNames: []string{mcpconv.SpanWorkflow},
		Wait:        10 * time.Second,
		MaxWait:     time.Minute,
		Remember:    15 * time.Minute,
		MaxSpans:    200_000,
		MaxBytes:    256 << 20,
		Index:       IndexConfig{Type: IndexMemory, KeyPrefix: "mcp:stitch:"},
	}
}

// neverKeys are ids that count from one in each connection.
var neverKeys = []string{mcpconv.RPCID, "mcp.request.id", mcpconv.JSONRPCRequestID}

var (
	errStitchMode  = errors.New("mode must be `rewrite` or `link`")
	errNoKeys      = errors.New("keys must name an attribute (to stitch nothing, set `enabled: false`)")
	errNeverKey    = errors.New("is an id of one connection, which others use too: name an attribute whose values are unique")
	errWait        = errors.New("wait must be more than 0s (to wait for nothing, set `mode: link`)")
	errMaxWait     = errors.New("max_wait must not be less than wait")
	errRemember    = errors.New("remember must not be less than max_wait")
	errMaxSpans    = errors.New("max_spans must be 1 or more")
	errStitchBytes = errors.New("max_bytes must be 1 or more")
	errIndexType   = errors.New("type must be `memory` or `redis`")
	errEndpoint    = errors.New("endpoint must be the host and port of a Redis or Valkey, because type is `redis`")
	errHostPort    = errors.New("endpoint must be the host and port of a Redis or Valkey, like `redis:6379`")
	errShortTTL    = errors.New("or claims are forgotten while servers wait for them")
	errTTL         = errors.New("ttl must be 1s or more, or 0s to keep keys as long as `remember`")
	errUnused      = errors.New("endpoint is set, but nothing uses it: set `type: redis`")
)

// Validate finds all that is wrong at once.
func (c *StitchConfig) Validate() error {
	if !c.Enabled {
		return nil
	}
	var errs []error
	check := func(good bool, err error, got any) {
		if !good {
			errs = append(errs, fmt.Errorf("%w, not %v", err, got))
		}
	}
	check(c.Mode == StitchRewrite || c.Mode == StitchLink, errStitchMode, fmt.Sprintf("%q", c.Mode))
	check(len(c.Keys) > 0, errNoKeys, "[]")
	check(c.Wait > 0, errWait, c.Wait)
	check(c.MaxWait >= c.Wait, errMaxWait, c.MaxWait)
	check(c.Remember >= c.MaxWait, errRemember, c.Remember)
	check(c.MaxSpans > 0, errMaxSpans, c.MaxSpans)
	check(c.MaxBytes > 0, errStitchBytes, c.MaxBytes)
	if ttl := c.Index.TTL; ttl >= time.Second && ttl < c.MaxWait {
		errs = append(errs, fmt.Errorf("index::ttl must not be less than max_wait (%v), %w, not %v", c.MaxWait, errShortTTL, ttl))
	}
	errs = append(errs, validateStitchKeys(c.Keys)...)
	errs = append(errs, validateNames("client_names", c.ClientNames)...)
	errs = append(errs, validateNames("server_names", c.ServerNames)...)
	return errors.Join(errs...)
}

func validateEndpoint(endpoint string) error {
	if endpoint == "" {
		return errEndpoint
	}
	if _, port, err := net.SplitHostPort(endpoint); err != nil || port == "" {
		return fmt.Errorf("%w, not %q", errHostPort, endpoint)
	}
	return nil
}

func validateStitchKeys(keys []string) []error {
	errs := validateNames("keys", keys)
	for i, key := range keys {
		if slices.Contains(neverKeys, key) {
			errs = append(errs, fmt.Errorf("keys::%d: %q %w", i, key, errNeverKey))
		}
	}
	return errs
}

func validateNames(list string, names []string) (errs []error) {
	for i, name := range names {
		if name == "" {
			errs = append(errs, fmt.Errorf("%s::%d: %q %w", list, i, name, errEmptyName))
		}
	}
	return errs
}

var errEmptyName = errors.New("must not be empty: remove it")

// Validate finds all that is wrong at once.
func (c *IndexConfig) Validate() error {
	var errs []error
	if c.Type != IndexMemory && c.Type != IndexRedis {
		errs = append(errs, fmt.Errorf("%w, not %q", errIndexType, c.Type))
	}
	if c.Type == IndexRedis {
		errs = append(errs, validateEndpoint(c.Endpoint))
	}
	if c.Type == IndexMemory && c.Endpoint != "" {
		errs = append(errs, errUnused)
	}
	if c.TTL != 0 && c.TTL < time.Second {
		errs = append(errs, fmt.Errorf("%w, not %v", errTTL, c.TTL))
	}
	return errors.Join(errs...)
}
