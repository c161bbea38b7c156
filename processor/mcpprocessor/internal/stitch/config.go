package stitch

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

// Mode selects how two traces are joined.
type Mode string

const (
	// ModeRewrite moves the server's trace into the client's.
	ModeRewrite Mode = "rewrite"
	// ModeLink gives the later of the two spans a link to the other.
	ModeLink Mode = "link"
)

// IndexType is where claims and decisions are kept.
type IndexType string

const (
	// IndexMemory keeps them in this process.
	IndexMemory IndexType = "memory"
	// IndexRedis keeps them in a Redis or Valkey that all replicas share.
	IndexRedis IndexType = "redis"
)

// Config says which spans belong together and how long they wait.
type Config struct {
	// Enabled is false to leave every trace as it is.
	Enabled bool `mapstructure:"enabled"`
	// Mode is "rewrite" or "link".
	Mode Mode `mapstructure:"mode"`
	// Keys are the string attributes whose equal value joins two spans. The first
	// one that a span has counts. [KeyLastmile] stands for a rule of its own.
	Keys []string `mapstructure:"keys"`
	// ClientNames are the names of spans that are clients whatever their kind.
	ClientNames []string `mapstructure:"client_names"`
	// ServerNames are the names of root spans that are servers whatever their kind.
	ServerNames []string `mapstructure:"server_names"`
	// Wait is the time for which a trace waits after its last span.
	Wait time.Duration `mapstructure:"wait"`
	// MaxWait is the time for which a trace waits in total. At least Wait.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Remember is the time for which claims and decisions are kept. At least MaxWait.
	Remember time.Duration `mapstructure:"remember"`
	// MaxSpans is the number of spans that may wait, and how many claims, roots and
	// decisions are kept, each.
	MaxSpans int `mapstructure:"max_spans"`
	// MaxBytes is about how much memory the waiting spans may use.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// Index is where claims and decisions are kept.
	Index IndexConfig `mapstructure:"index"`
	// prevent unkeyed literal initialization
	_ struct{}
}

// IndexConfig says where claims and decisions are kept. All fields but Type are
// for Redis.
type IndexConfig struct {
	// Type is "memory" or "redis".
	Type IndexType `mapstructure:"type"`
	// Endpoint is the server's host and port.
	Endpoint string `mapstructure:"endpoint"`
	// TLS configures the connection. Without it, the connection is not encrypted.
	TLS *configtls.ClientConfig `mapstructure:"tls"`
	// Username is a user of Redis' ACL. Empty: Redis' default user.
	Username string `mapstructure:"username"`
	// Password is the user's password.
	Password configopaque.String `mapstructure:"password"`
	// KeyPrefix starts every key, so that several systems can share a server.
	KeyPrefix string `mapstructure:"key_prefix"`
	// TTL is the time for which the server keeps a key. 0: as long as Remember.
	TTL time.Duration `mapstructure:"ttl"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ component.Config  = (*Config)(nil)
	_ confmap.Validator = (*Config)(nil)
	_ confmap.Validator = (*IndexConfig)(nil)
)

// DefaultConfig returns the defaults: on, by rewriting, in this process.
func DefaultConfig() Config {
	return Config{
		Enabled:     true,
		Mode:        ModeRewrite,
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

// mode joins the two sides of a call: [linkMode] or [rewriteMode]. All
// methods are called under the lock.
type mode interface {
	// observe records what the spans of a batch mean.
	observe(items)
	// place links and rewrites the spans of a batch that was observed, and marks
	// those that have to wait. It returns how many these are.
	place(items) (waiting int)
	// addClaim records a claim, perhaps not for the first time, and returns the
	// place of its value.
	addClaim(Value, Claim) Place
	// onDecision handles the answer to a query about a trace. If there is no answer,
	// answered is false.
	onDecision(q *Query, answered bool)
}

// reservedKeys are ids that count from one in each connection.
var reservedKeys = []string{mcpconv.RPCID, "mcp.request.id", mcpconv.JSONRPCRequestID}

var (
	errMode        = errors.New("mode must be `rewrite` or `link`")
	errNoKeys      = errors.New("keys must name an attribute (to stitch nothing, set `enabled: false`)")
	errReservedKey = errors.New("is an id of one connection, which others use too: name an attribute whose values are unique")
	errEmptyName   = errors.New("must not be empty: remove it")
	errWait        = errors.New("wait must be more than 0s (to wait for nothing, set `mode: link`)")
	errMaxWait     = errors.New("max_wait must not be less than wait")
	errRemember    = errors.New("remember must not be less than max_wait")
	errMaxSpans    = errors.New("max_spans must be 1 or more")
	errMaxBytes    = errors.New("max_bytes must be 1 or more")
	errIndexType   = errors.New("type must be `memory` or `redis`")
	errEndpoint    = errors.New("endpoint must be the host and port of a Redis or Valkey, because type is `redis`")
	errHostPort    = errors.New("endpoint must be the host and port of a Redis or Valkey, like `redis:6379`")
	errShortTTL    = errors.New("or claims are forgotten while servers wait for them")
	errTTL         = errors.New("ttl must be 1s or more, or 0s to keep keys as long as `remember`")
	errUnused      = errors.New("endpoint is set, but nothing uses it: set `type: redis`")
)

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	if !c.Enabled {
		return nil
	}
	var errs []error
	check := func(good bool, err error, got any) {
		if !good {
			errs = append(errs, fmt.Errorf("%w, not %v", err, got))
		}
	}
	check(c.Mode == ModeRewrite || c.Mode == ModeLink, errMode, fmt.Sprintf("%q", c.Mode))
	check(len(c.Keys) > 0, errNoKeys, "[]")
	check(c.Wait > 0, errWait, c.Wait)
	check(c.MaxWait >= c.Wait, errMaxWait, c.MaxWait)
	check(c.Remember >= c.MaxWait, errRemember, c.Remember)
	check(c.MaxSpans > 0, errMaxSpans, c.MaxSpans)
	check(c.MaxBytes > 0, errMaxBytes, c.MaxBytes)
	if ttl := c.Index.TTL; ttl >= time.Second && ttl < c.MaxWait {
		errs = append(errs, fmt.Errorf("index::ttl must not be less than max_wait (%v), %w, not %v", c.MaxWait, errShortTTL, ttl))
	}
	errs = append(errs, validateKeys(c.Keys)...)
	errs = append(errs, validateNames("client_names", c.ClientNames)...)
	errs = append(errs, validateNames("server_names", c.ServerNames)...)
	return errors.Join(errs...)
}

func validateKeys(keys []string) []error {
	errs := validateNames("keys", keys)
	for i, key := range keys {
		if slices.Contains(reservedKeys, key) {
			errs = append(errs, fmt.Errorf("keys::%d: %q %w", i, key, errReservedKey))
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

// Validate reports everything that is wrong at once.
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

func validateEndpoint(endpoint string) error {
	if endpoint == "" {
		return errEndpoint
	}
	if _, port, err := net.SplitHostPort(endpoint); err != nil || port == "" {
		return fmt.Errorf("%w, not %q", errHostPort, endpoint)
	}
	return nil
}
