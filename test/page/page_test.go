// Package page drives a browser over the web UI of the Inspector gateway, which
// the built collector serves.
package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestPage runs each of the scripts against a collector of its own.
func TestPage(t *testing.T) {
	node := harness.LookPath(t, "node")
	if !harness.IsFile(filepath.Join("node_modules", ".package-lock.json")) {
		harness.Missing(t, "npm packages of test/page: run test/needs.sh")
	}
	if os.Getenv("CHROMIUM") == "" {
		harness.LookPath(t, "chromium")
	}
	scripts, err := filepath.Glob("*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		t.Run(script, func(t *testing.T) {
			run := exec.Command(node, "--test", "--test-reporter=spec", script)
			run.Env = append(os.Environ(), startCollector(t, strings.TrimSuffix(script, ".test.mjs"))...)
			out, err := run.CombinedOutput()
			t.Logf("%s", out)
			require.NoError(t, err)
		})
	}
}

// startCollector gives the addresses as environment variables of the script of that name,
// which may have a configuration of its own.
func startCollector(t *testing.T, script string) []string {
	t.Helper()
	mcp, otlp, behind, page := harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	config, err := filepath.Abs(filepath.Join("testdata", script+".yaml"))
	require.NoError(t, err)
	if !harness.IsFile(config) {
		config, err = filepath.Abs(filepath.Join("testdata", "collector.yaml"))
	}
	require.NoError(t, err)
	env := []string{"MCP_ADDRESS=" + mcp, "OTLP_ADDRESS=" + otlp, "BEHIND_ADDRESS=" + behind, "PAGE_ADDRESS=" + page, "TRACES_DIR=" + t.TempDir()}
	collector := harness.Start(t, "otelcol-mcp", harness.Collector(t), env, []string{"--config", config})
	collector.Ready(t, func() bool { return harness.HTTPOK("http://" + page + "/_inspector/health") })
	return []string{"MCP=http://" + mcp, "OTLP=http://" + otlp, "BEHIND=http://" + behind, "PAGE=http://" + page + "/_inspector/ui"}
}
