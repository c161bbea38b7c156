package mcpprocessor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
)

func TestLoadStitch(t *testing.T) {
	stitchOff := stitch.DefaultConfig()
	stitchOff.Enabled = false
	for id, want := range map[string]StitchConfig{
		"mcp":            stitch.DefaultConfig(),
		"mcp/stitch_off": stitchOff,
		"mcp/stitch_all": {
			Enabled: true, Mode: StitchLink, Keys: []string{"request.uuid"}, ClientNames: []string{"call"}, ServerNames: []string{"serve"},
			Wait: 2 * time.Second, MaxWait: 20 * time.Second, Remember: time.Hour, MaxSpans: 1000, MaxBytes: 1_000_000,
			Index: IndexConfig{
				Type: IndexRedis, Endpoint: "redis:6379", TLS: &configtls.ClientConfig{ServerName: "redis"},
				Username: "stitcher", Password: "hidden", KeyPrefix: "a:", TTL: 2 * time.Hour,
			},
		},
	} {
		t.Run(id, func(t *testing.T) {
			cfg, err := load(t, id)
			require.NoError(t, err)
			require.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, want, cfg.Stitch)
			assert.NotContains(t, fmt.Sprintf("%+v", cfg), "hidden")
		})
	}
}

func TestValidateStitch(t *testing.T) {
	for id, want := range map[string][]string{
		"mcp/stitch_never": {
			"stitch: keys::1: \"jsonrpc.request.id\" is an id of one connection",
			"keys::2: \"mcp.rpc.id\" is an id of one connection", "keys::3: \"mcp.request.id\" is an id of one connection",
		},
		"mcp/stitch_wrong": {
			"stitch: mode must be `rewrite` or `link`, not \"copy\"",
			"wait must be more than 0s (to wait for nothing, set `mode: link`), not 0s",
			"max_wait must not be less than wait, not -1s", "remember must not be less than max_wait, not -2s",
			"max_spans must be 1 or more, not 0", "max_bytes must be 1 or more, not -1",
			"keys must name an attribute", `client_names::0: "" must not be empty`, `server_names::1: "" must not be empty`,
			"stitch::index: type must be `memory` or `redis`, not \"disk\"", "ttl must be 1s or more",
		},
		"mcp/stitch_no_endpoint": {"stitch::index: endpoint must be the host and port"},
		"mcp/stitch_index_wrong": {
			"stitch::index: endpoint must be the host and port of a Redis or Valkey, like `redis:6379`, not \"redis://redis:6379/0\"",
			"stitch: index::ttl must not be less than max_wait (1m0s), or claims are forgotten while servers wait for them, not 5s",
		},
		"mcp/stitch_unused": {"stitch::index: endpoint is set, but nothing uses it: set `type: redis`"},
	} {
		t.Run(id, func(t *testing.T) {
			cfg, err := load(t, id)
			require.NoError(t, err)
			err = confmap.Validate(cfg)
			for _, text := range want {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

func TestStitchOffIsNotValidated(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Stitch = StitchConfig{Index: IndexConfig{Type: IndexMemory}}
	require.NoError(t, confmap.Validate(cfg))
}
