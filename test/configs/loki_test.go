package configs

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestLoki: a real Loki with the configuration of deploy/compose keeps the log records
// that the configuration for Tempo and Loki sends there, and finds them by their session.
// Loki takes ten minutes to build, so make loki does that.
func TestLoki(t *testing.T) {
	program := os.Getenv("LOKI")
	if program == "" {
		t.Skip("LOKI names no program: make loki builds it and runs this test")
	}
	loki := startLoki(t, program)
	p := start(t, []string{"LOKI_ENDPOINT=http://" + loki + "/otlp"}, "--config", "embedded:tempo")
	hook := `{"hook_event_name": "Notification", "session_id": "kept-by-loki", "message": "Claude needs your permission to use Bash"}`
	resp, err := http.Post("http://"+p.mcp+"/v1/hooks/claude-code", "application/json", strings.NewReader(hook))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusAccepted, resp.StatusCode)
	for _, panel := range lokiPanels(t) {
		query := strings.NewReplacer("$session", "kept-by-loki", "$__auto", "1m").Replace(panel)
		address := "http://" + loki + "/loki/api/v1/query_range?query=" + url.QueryEscape(query)
		harness.Eventually(t, "Loki has no answer to "+query, func() bool { return strings.Contains(get(t, address), `"event_name":"session.start"`) })
	}
}

// lokiPanels are the queries that dashboards have for Loki.
func lokiPanels(t *testing.T) (queries []string) {
	t.Helper()
	type panel struct {
		Datasource struct{ Type string }
		Targets    []struct{ Expr string }
	}
	paths, err := filepath.Glob(filepath.Join(harness.Root, "deploy", "grafana", "dashboards", "*.json"))
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var dashboard struct{ Panels []panel }
		require.NoError(t, json.Unmarshal(text, &dashboard))
		for _, p := range dashboard.Panels {
			for _, target := range p.Targets {
				if p.Datasource.Type == "loki" {
					queries = append(queries, target.Expr)
				}
			}
		}
	}
	require.NotEmpty(t, queries)
	return queries
}

// startLoki runs it with the files of the container below a folder of the test.
func startLoki(t *testing.T, program string) (address string) {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(harness.Root, "deploy", "compose", "loki.yaml"))
	require.NoError(t, err)
	config := filepath.Join(dir, "loki.yaml")
	require.NoError(t, os.WriteFile(config, []byte(strings.ReplaceAll(string(text), ": /loki", ": "+dir)), 0o600))
	address = harness.FreeAddress(t)
	loki := harness.Start(t, "loki", program, nil, []string{
		"-config.file=" + config, "-server.http-listen-address=127.0.0.1", "-server.http-listen-port=" + harness.PortOf(t, address),
		"-server.grpc-listen-address=127.0.0.1", "-server.grpc-listen-port=" + harness.PortOf(t, harness.FreeAddress(t)),
	})
	loki.Ready(t, func() bool { return harness.HTTPOK("http://" + address + "/ready") })
	return address
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", body)
	return string(body)
}
