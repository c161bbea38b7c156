package stitch

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

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
