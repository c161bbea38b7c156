package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// JaegerWarnings is the attribute under which Jaeger has its warnings of a span.
const JaegerWarnings = "@jaeger@warnings"

// JaegerServer is a running Jaeger 2 with nothing stored.
type JaegerServer struct {
	OTLP string // address for OTLP over gRPC
	http string
}

const jaegerConfig = `
service:
  extensions: [jaeger_storage, jaeger_query, healthcheckv2]
  telemetry: {logs: {level: warn}, metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [jaeger_storage_exporter]}}
extensions:
  healthcheckv2: {use_v2: true, http: {endpoint: "%s"}}
  jaeger_storage: {backends: {main: {memory: {max_traces: 100000}}}}
  jaeger_query: {storage: {traces: main}, grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}
receivers:
  otlp: {protocols: {grpc: {endpoint: "%s"}}}
exporters:
  jaeger_storage_exporter: {trace_storage: main, queue: {enabled: false}}
`

// StartJaeger starts a Jaeger that is gone when the test ends.
func StartJaeger(t *testing.T) *JaegerServer {
	t.Helper()
	j := &JaegerServer{OTLP: FreeAddress(t), http: FreeAddress(t)}
	health := FreeAddress(t)
	config := filepath.Join(t.TempDir(), "jaeger.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, jaegerConfig, health, FreeAddress(t), j.http, j.OTLP), 0o600))
	p := Start(t, "jaeger", Jaeger(t), nil, []string{"--config", config})
	p.Ready(t, func() bool { return HTTPOK("http://" + health + "/status") })
	return j
}

// Trace returns the spans of a trace as they are stored, or with adjust as they are shown;
// none if there is no such trace.
func (j *JaegerServer) Trace(t *testing.T, id pcommon.TraceID, adjust bool) ptrace.Traces {
	t.Helper()
	return j.traces(t, fmt.Sprintf("/api/v3/traces/%s?raw_traces=%t", id, !adjust))
}

// Find returns the traces of the last day in which a service has spans, as they are shown,
// or with an operation that is not "" one of that name.
func (j *JaegerServer) Find(t *testing.T, service, operation string) ptrace.Traces {
	t.Helper()
	query := url.Values{
		"query.service_name": {service}, "query.num_traces": {"1000"},
		"query.start_time_min": {time.Unix(0, 0).UTC().Format(time.RFC3339)}, "query.start_time_max": {time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
	}
	if operation != "" {
		query.Set("query.operation_name", operation)
	}
	return j.traces(t, "/api/v3/traces?"+query.Encode())
}

func (j *JaegerServer) traces(t *testing.T, path string) ptrace.Traces {
	t.Helper()
	var answer struct{ Result json.RawMessage }
	if !j.get(t, path, &answer) {
		return ptrace.NewTraces()
	}
	found, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
	require.NoError(t, err)
	return found
}

// Services returns the services that have spans.
func (j *JaegerServer) Services(t *testing.T) []string {
	t.Helper()
	var answer struct{ Services []string }
	j.get(t, "/api/v3/services", &answer)
	return answer.Services
}

// Dependencies returns which services call which others, as "parent > child".
func (j *JaegerServer) Dependencies(t *testing.T) (edges []string) {
	t.Helper()
	var answer struct {
		Data []struct{ Parent, Child string }
	}
	j.get(t, fmt.Sprintf("/api/dependencies?endTs=%d&lookback=%d", time.Now().Add(time.Hour).UnixMilli(), time.Now().UnixMilli()), &answer)
	for _, d := range answer.Data {
		edges = append(edges, d.Parent+" > "+d.Child)
	}
	return edges
}

// get reads an answer; false if there is none.
func (j *JaegerServer) get(t *testing.T, path string, into any) bool {
	t.Helper()
	response, err := http.Get("http://" + j.http + path)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if response.StatusCode == http.StatusNotFound {
		return false
	}
	require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", path, body)
	require.NoError(t, json.Unmarshal(body, into), "%s", body)
	return true
}
