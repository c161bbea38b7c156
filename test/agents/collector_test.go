package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// collector is the distribution with its default configuration at addresses of
// its own. Its spans come to a sink, too.
type collector struct {
	*harness.Process
	sink    *harness.Sink
	base    string // URL of the mcp receiver
	otlp    string // URL of its OTLP server, HTTP
	gateway string // URL of the web UI's server
	up      time.Time
}

// overrides changes the default configuration.
const overrides = `
receivers:
  mcp: {http: {endpoint: "%[1]s"}, otlp: {protocols: {grpc: {endpoint: "%[2]s"}, http: {endpoint: "%[3]s"}}}}
exporters:
  mcp_inspector: {http: {endpoint: "%[4]s"}}
  prometheus: {endpoint: "localhost:0"}
  otlp_grpc/sink:
    endpoint: %[5]s
    tls: {insecure: true}
    sending_queue: {enabled: false}
extensions:
  healthcheckv2: {http: {endpoint: "%[6]s"}}
service:
  telemetry:
    metrics:
      readers:
        - pull: {exporter: {prometheus: {host: 127.0.0.1, port: %[7]s}}}
  pipelines:
    traces/live: {exporters: [mcp_inspector, otlp_grpc/sink]}
`

// startCollector takes more configurations, which come last.
func startCollector(t *testing.T, more ...string) *collector {
	t.Helper()
	dir := t.TempDir()
	free := func() string { return harness.FreeAddress(t) }
	c := &collector{sink: harness.StartSink(t)}
	mcp, otlp, gateway := free(), free(), free()
	c.base, c.otlp, c.gateway = "http://"+mcp, "http://"+otlp, "http://"+gateway
	config := filepath.Join(dir, "overrides.yaml")
	text := fmt.Sprintf(overrides, mcp, free(), otlp, gateway, c.sink.Address, free(), harness.PortOf(t, free()))
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
	args := []string{"--config", "embedded:default", "--config", config}
	for _, m := range more {
		args = append(args, "--config", m)
	}
	c.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), env, args)
	c.Ready(t, func() bool { return harness.HTTPOK(c.gateway + "/_inspector/health") })
	c.up = time.Now()
	return c
}

// row is a session on the board.
type row struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Engine    string   `json:"engine"`
	Host      string   `json:"host"`
	Title     string   `json:"title"`
	Model     string   `json:"model"`
	Phase     string   `json:"phase"`
	EndReason string   `json:"end_reason"`
	TraceID   string   `json:"trace_id"`
	Sources   []string `json:"sources"`
	ToolCalls int      `json:"tool_calls"`
	LLMCalls  int      `json:"llm_calls"`
	Agents    int      `json:"agents"`
	Turns     int      `json:"turns"`
	Errors    int      `json:"errors"`
	Refusals  int      `json:"refusals"`
	Open      []any    `json:"open_calls"`
	Tokens    struct {
		Used  int64 `json:"used"`
		Limit int64 `json:"limit"`
	} `json:"tokens"`
	Waiting struct {
		Kind   string `json:"kind"`
		Tool   string `json:"tool"`
		Detail string `json:"detail"`
	} `json:"waiting"`
	Usage struct {
		Input      int64   `json:"input_tokens"`
		Output     int64   `json:"output_tokens"`
		CacheRead  int64   `json:"cache_read_input_tokens"`
		CacheWrite int64   `json:"cache_write_input_tokens"`
		Reasoning  int64   `json:"reasoning_output_tokens"`
		Cost       float64 `json:"cost_usd"`
	} `json:"usage"`
}

// rows reads the board.
func (c *collector) rows(t *testing.T) []row {
	t.Helper()
	response, err := http.Get(c.gateway + "/_inspector/sessions?limit=100")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var page struct {
		Sessions []row `json:"sessions"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&page))
	return page.Sessions
}
