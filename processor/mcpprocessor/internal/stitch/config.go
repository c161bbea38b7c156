package stitch

import (
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
