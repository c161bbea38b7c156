package mcpprocessor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/normalize"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
)

func load(t *testing.T, id string) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	sub, err := conf.Sub(id)
	require.NoError(t, err)
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	return cfg, sub.Unmarshal(cfg)
}

func TestLoadConfig(t *testing.T) {
	for id, want := range map[string]TruncateConfig{
		"mcp": {Enabled: true, MaxBytes: 30720, Mode: ModePrefix},
		"mcp/all": {
			Enabled: true, MaxBytes: 8192, Mode: ModeJSON,
			Keys: []string{"http.request.body", "http.response.body"}, OriginalSize: true,
		},
		"mcp/off": {MaxBytes: 30720, Mode: ModePrefix},
	} {
		t.Run(id, func(t *testing.T) {
			cfg, err := load(t, id)
			require.NoError(t, err)
			require.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, &Config{Normalize: normalize.DefaultConfig(), Truncate: want, Stitch: stitch.DefaultConfig()}, cfg)
		})
	}
}

func TestValidate(t *testing.T) {
	for id, want := range map[string][]string{
		"mcp/no_bytes":  {"truncate: max_bytes must be 1 or more (to cut nothing, set `enabled: false`), not 0"},
		"mcp/mode":      {"truncate: mode must be `prefix` or `json`, not \"middle\""},
		"mcp/empty_key": {`truncate: keys::1: "" must not be empty: remove it, or name an attribute`},
		"mcp/flag_key":  {`truncate: keys::0: "prompt_truncated" must not end in _truncated: name the attribute that the flag belongs to`},
		"mcp/all_wrong": {"max_bytes must", "mode must", "keys::0"},
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

func TestUnknownKeyRejected(t *testing.T) {
	_, err := load(t, "mcp/unknown")
	require.ErrorContains(t, err, "max_size")
	cfg := NewFactory().CreateDefaultConfig()
	require.ErrorContains(t, confmap.NewFromStringMap(map[string]any{"trunkate": nil}).Unmarshal(cfg), "trunkate")
}
