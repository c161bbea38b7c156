package mcpprocessor

import (
	"cmp"
	"context"
	"fmt"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// connect makes the shared index if there is to be one. It need not be there yet.
func (s *stitcher) connect(ctx context.Context) error {
	c := &s.cfg.Index
	if c.Type != IndexRedis {
		return nil
	}
	o := index.RedisOptions{
		Endpoint: c.Endpoint, Username: c.Username, Password: string(c.Password),
		Prefix: c.KeyPrefix, TTL: cmp.Or(c.TTL, s.cfg.Remember),
	}
	if c.TLS != nil {
		var err error
		if o.TLS, err = c.TLS.LoadTLSConfig(ctx); err != nil {
			return fmt.Errorf("stitch::index::tls: %w", err)
		}
	}
	s.useIndex(index.NewRedis(&o))
	return nil
}

// useIndex shares what is known. Until the index was found to be there, nothing
// is stitched.
func (s *stitcher) useIndex(shared sharedIndex) {
	s.shared = shared
	s.read.hash = index.SharedHash
	s.rules.replicas = true
}
