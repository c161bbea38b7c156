package configs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// declared holds what a configuration declares, and what it uses.
type declared struct {
	Receivers, Processors, Exporters, Connectors, Extensions map[string]any
	Service                                                  struct {
		Extensions []string
		Pipelines  map[string]struct{ Receivers, Processors, Exporters []string }
	}
}

// TestUsed: every component that a shipped configuration declares is in a pipeline, or runs as an
// extension.
func TestUsed(t *testing.T) {
	for _, path := range shipped(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var c declared
			require.NoError(t, yaml.Unmarshal(text, &c))
			var in, through, out []string
			for _, p := range c.Service.Pipelines {
				in, through, out = append(in, p.Receivers...), append(through, p.Processors...), append(out, p.Exporters...)
			}
			requireUsed(t, c.Receivers, in)
			requireUsed(t, c.Processors, through)
			requireUsed(t, c.Exporters, out)
			requireUsed(t, c.Connectors, in)
			requireUsed(t, c.Connectors, out)
			requireUsed(t, c.Extensions, c.Service.Extensions)
		})
	}
}

func requireUsed(t *testing.T, declared map[string]any, used []string) {
	t.Helper()
	for id := range declared {
		assert.True(t, slices.Contains(used, id), "%s is declared, and not used", id)
	}
}

// shipped are the files of all collector configurations.
func shipped(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.yaml", filepath.Join("scale", "*.yaml")} {
		found, err := filepath.Glob(filepath.Join(harness.Root, "config", pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 6)
	return files
}
