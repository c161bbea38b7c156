package prometheus

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// stack is a collector that a Prometheus scrapes.
type stack struct {
	mcp, otlp, prometheus string // addresses
}

// moved is embedded:default beside other tests, with a back end, and without
// waiting for metrics.
const moved = `
receivers:
  mcp:
    http: {endpoint: "%s"}
    metrics: {interval: 1s}
    otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}
    agents: {join_wait: 1s}
exporters:
  mcp_inspector: {http: {endpoint: "%s"}}
  prometheus: {endpoint: "%s"}
  otlp_grpc: {endpoint: "%s", tls: {insecure: true}}
extensions:
  healthcheckv2: {http: {endpoint: "%s"}}
service:
  telemetry:
    metrics: {readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: %s}}}}]}
  pipelines:
    traces/export: {exporters: [otlp_grpc]}
`

func start(t *testing.T, more ...string) *stack {
	t.Helper()
	path := harness.LookPath(t, "prometheus")
	s := &stack{mcp: harness.FreeAddress(t), otlp: harness.FreeAddress(t), prometheus: harness.FreeAddress(t)}
	sessions, own, health := harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	config := fmt.Sprintf(moved, s.mcp, harness.FreeAddress(t), s.otlp, harness.FreeAddress(t), sessions,
		harness.StartSink(t).Address, health, harness.PortOf(t, own))
	collector := harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{"XDG_STATE_HOME=" + t.TempDir()},
		append([]string{"--config", "embedded:default", "--config", "yaml:" + config}, more...))
	collector.Ready(t, func() bool { return harness.HTTPOK("http://" + health + "/status") })

	dir := t.TempDir()
	p := harness.Start(t, "prometheus", path, nil, []string{
		"--config.file=" + shipped(t, dir, sessions, own), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + s.prometheus, "--enable-feature=exemplar-storage",
	})
	p.Ready(t, func() bool { return harness.HTTPOK("http://" + s.prometheus + "/-/ready") })
	return s
}

// shipped is the configuration that is shipped, with these addresses, and in a
// hurry.
func shipped(t *testing.T, dir, sessions, own string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "prometheus.yml"))
	require.NoError(t, err)
	changed := strings.NewReplacer("localhost:8899", sessions, "localhost:8898", own, "15s", "1s",
		"alerts.yaml", filepath.Join(folder, "alerts.yaml")).Replace(string(text))
	var config map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(changed), &config))
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	return file
}

// call reports a tool call and its result.
func (s *stack) call(t *testing.T, id int) {
	t.Helper()
	body := fmt.Sprintf(`{"session":"s","message":{"jsonrpc":"2.0","id":%[1]d,"method":"tools/call","params":{"name":"add"}}}
{"session":"s","message":{"jsonrpc":"2.0","id":%[1]d,"result":{}}}`, id)
	s.post(t, s.mcp, "/v1/observations", http.StatusAccepted, body)
}

// post sends a body and requires the status.
func (s *stack) post(t *testing.T, address, path string, status int, body string) {
	t.Helper()
	response, err := http.Post("http://"+address+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, status, response.StatusCode)
}

// demo plays the agents of make demo, fast, and sends something that is rejected.
func (s *stack) demo(t *testing.T) {
	t.Helper()
	harness.Start(t, "demo", harness.Tap(t), nil, []string{
		"demo", "--endpoint", "http://" + s.mcp, "--otlp-endpoint", "http://" + s.otlp, "--speed", "20",
	}).Wait(t)
	s.post(t, s.mcp, "/v1/observations", http.StatusBadRequest, "{")
}
