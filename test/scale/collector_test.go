package scale

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// collector runs one of the configurations.
type collector struct {
	*harness.Process
	mcp, grpc, http, metrics string // addresses
}

// moved is added to every configuration when more than one runs on a machine.
const moved = `
receivers:
  mcp: {http: {endpoint: "%[1]s"}, otlp: {protocols: {grpc: {endpoint: "%[2]s"}, http: {endpoint: "%[3]s"}}}}
extensions:
  healthcheckv2: {http: {endpoint: "%[4]s"}}
exporters:
  prometheus: {endpoint: "localhost:0"}
service:
  telemetry:
    metrics:
      readers:
        - pull: {exporter: {prometheus: {host: localhost, port: %[5]s}}}
`

// startCollector runs config/scale/<config> with this environment, and more
// configuration on top if there is some. It returns when the health check is good.
func startCollector(t *testing.T, config string, env []string, more ...string) *collector {
	t.Helper()
	c := &collector{
		mcp: harness.FreeAddress(t), grpc: harness.FreeAddress(t), http: harness.FreeAddress(t), metrics: harness.FreeAddress(t),
	}
	health := harness.FreeAddress(t)
	own := fmt.Sprintf(moved, c.mcp, c.grpc, c.http, health, harness.PortOf(t, c.metrics))
	args := []string{"--config", filepath.Join(harness.Root, "config", "scale", config), "--config", "yaml:" + own}
	for _, each := range more {
		args = append(args, "--config", "yaml:"+each)
	}
	c.Process = harness.Start(t, config, harness.Collector(t), append([]string{"STATE_DIR=" + t.TempDir()}, env...), args)
	c.Ready(t, func() bool { return harness.HTTPOK("http://" + health + "/status") })
	return c
}

// send exports spans to it over OTLP and wants them taken.
func (c *collector) send(t *testing.T, traces ptrace.Traces) {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	response, err := http.Post("http://"+c.http+"/v1/traces", "application/x-protobuf", bytes.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", answer)
}

// accepted returns how many spans it says it took.
func (c *collector) accepted(t *testing.T) float64 {
	t.Helper()
	return harness.Scrape(t, "http://"+c.metrics+"/metrics").Sum("otelcol_receiver_accepted_spans")
}

// spansOf lists spans without what is around them.
func spansOf(traces ptrace.Traces) (spans []ptrace.Span) {
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}
