// Package manifest builds distributions the ways that others do: with plain ocb, and with a manifest
// of their own that picks our components.
package manifest

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

const builder = "go.opentelemetry.io/collector/cmd/builder"

// TestPlain runs ocb without --skip-get-modules: it writes a module of its own inside the repository,
// so it gets a copy. make builds in that copy afterwards.
func TestPlain(t *testing.T) {
	skipShort(t)
	tree := copyTree(t)
	dist := filepath.Join(tree, "cmd", "otelcol-mcp")
	binary := build(t, buildOCB(t), tree, "builder-config.yaml", dist)
	assert.FileExists(t, filepath.Join(dist, "go.mod"))
	assertComponents(t, binary, map[string][]string{
		"receivers": {"kafka", "mcp", "otlp", "zipkin"},
		"processors": {
			"attributes", "batch", "filter", "groupbytrace", "mcp", "memory_limiter", "probabilistic_sampler",
			"redaction", "resource", "tail_sampling", "transform",
		},
		"exporters":  {"debug", "file", "kafka", "mcp_inspector", "nop", "otlp_grpc", "otlp_http", "prometheus"},
		"connectors": {"count", "span_metrics"},
		"extensions": {"basicauth", "bearertokenauth", "file_storage", "healthcheckv2", "memory_limiter", "pprof", "zpages"},
		"providers":  {"embedded", "env", "file", "http", "https", "yaml"},
	})
	run(t, dist, binary, "validate", "--config", "embedded:default")

	// What make does before it compiles: the package is one of the repository's again.
	run(t, tree, "make", "GO=true", "bin/otelcol-mcp")
	assert.Equal(t, "github.com/otelcol-mcp/otelcol-mcp/cmd/otelcol-mcp\n", run(t, tree, "go", "list", "./cmd/otelcol-mcp"))
}

// TestSomebodyElse builds from a directory elsewhere, with a manifest that has none of our replaces.
func TestSomebodyElse(t *testing.T) {
	skipShort(t)
	root := repository(t)
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "somebody-else.yaml"))
	require.NoError(t, err)
	manifest := strings.ReplaceAll(string(text), "${REPOSITORY}", root)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600))

	binary := build(t, buildOCB(t), dir, "manifest.yaml", filepath.Join(dir, "dist"))
	assertComponents(t, binary, map[string][]string{
		"receivers":  {"mcp", "otlp"},
		"processors": {"mcp"},
		"exporters":  {"debug", "mcp_inspector", "otlp_grpc"},
		"providers":  {"embedded", "env", "file", "yaml"},
	})
	config, err := filepath.Abs(filepath.Join("testdata", "somebody-else-config.yaml"))
	require.NoError(t, err)
	run(t, dir, binary, "validate", "--config", config)
}

// buildOCB builds the builder that go.mod pins.
func buildOCB(t *testing.T) string {
	ocb := filepath.Join(t.TempDir(), "ocb")
	run(t, repository(t), "go", "build", "-o", ocb, builder)
	return ocb
}

// build lets ocb write a distribution and get its modules. It is compiled apart: ocb compiles with
// -trimpath, for which each dependency is compiled anew, and that takes minutes.
func build(t *testing.T, ocb, dir, manifest, dist string) string {
	run(t, dir, ocb, "--config", manifest, "--skip-compilation")
	binary := filepath.Join(dist, "collector")
	run(t, dist, "go", "build", "-o", binary, ".")
	return binary
}

func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: a distribution takes minutes to build, and this is -short")
	}
}

func repository(t *testing.T) string {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return root
}

// copyTree copies what is in the repository or about to be, and nothing that is ignored.
func copyTree(t *testing.T) string {
	root, tree := repository(t), t.TempDir()
	listed := run(t, root, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		copyFile(t, filepath.Join(root, name), filepath.Join(tree, name))
	}
	return tree
}

// copyFile leaves out what is deleted in the working tree.
func copyFile(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
	require.NoError(t, os.WriteFile(to, text, fs.FileMode(0o600)))
}

// run gives what a program wrote to its standard output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v\n%s\n%s", name, args, out, &stderr)
	return string(out)
}

// assertComponents compares with what `components` lists, each kind by name.
func assertComponents(t *testing.T, binary string, want map[string][]string) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(run(t, ".", binary, "components")))
	require.NoError(t, err)
	raw, err := retrieved.AsRaw()
	require.NoError(t, err)
	listed := raw.(map[string]any)
	for kind, names := range want {
		assert.Equal(t, names, namesOf(listed[kind]), kind)
	}
}

// namesOf takes a component's name, or the scheme of a provider.
func namesOf(list any) []string {
	var names []string
	for _, entry := range list.([]any) {
		component := entry.(map[string]any)
		for _, key := range []string{"name", "scheme"} {
			if name, ok := component[key].(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}
