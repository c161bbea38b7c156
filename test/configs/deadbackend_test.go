package configs

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// dead are backends that take nothing: their addresses, by what ails them. They serve HTTP/1 and what gRPC needs.
var dead = map[string]func(*testing.T) string{
	"away": harness.FreeAddress,
	"hangs": func(t *testing.T) string {
		return ill(t, func(_ http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body) // only then the server notices that the client has gone
			<-q.Context().Done()
		})
	},
	"429": func(t *testing.T) string {
		return ill(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	},
}

func ill(t *testing.T, answer http.HandlerFunc) string {
	server := httptest.NewUnstartedServer(answer)
	server.Config.Protocols = &http.Protocols{}
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.Listener.Addr().String()
}

func scale(name string) string {
	return "file:" + filepath.Join(harness.Root, "config", "scale", name+".yaml")
}

// full makes the queue of an exporter so small that a few calls fill it.
func full(exporter string) string {
	return "exporters: {" + exporter + ": {timeout: 1s, sending_queue: {queue_size: 20000, batch: {min_size: 1000, max_size: 10000, flush_timeout: 10ms}}}}"
}

// TestDeadBackend: no configuration lets a backend that takes nothing, and whose queue is full, refuse senders or blind
// anything else: the web UI has all sessions, and the other backend all spans or records.
func TestDeadBackend(t *testing.T) {
	const added = `
exporters: {otlp_grpc/backend: {endpoint: "${env:BACKEND}", tls: {insecure: true}, sending_queue: {sizer: bytes}}}
service: {pipelines: {traces/export: {exporters: [otlp_grpc/backend]}, logs/export: {exporters: [otlp_grpc/backend]}}}
`
	compose := filepath.Join(harness.Root, "deploy", "compose", "collector.yaml")
	stored := "yaml:extensions::file_storage::directory: ${env:XDG_STATE_HOME}/storage"
	for _, test := range []struct {
		name    string
		configs []string
		address string // the variable, and = and what is before the address
		suffix  string // behind the address
		full    string
		page    bool   // there is a web UI
		env     string // of other backends
		other   string // the variable of a backend that is well, and = and what is before the address
	}{
		{name: "default", configs: []string{"embedded:default", "yaml:" + added}, address: "BACKEND=", full: full("otlp_grpc/backend"), page: true},
		{name: "privacy", configs: []string{"embedded:privacy"}, address: "OTLP_ENDPOINT=", full: full("otlp_grpc"), page: true},
		{name: "jaeger", configs: []string{"embedded:jaeger"}, address: "JAEGER_ENDPOINT=", full: full("otlp_grpc/jaeger")},
		{name: "tempo", configs: []string{"embedded:tempo"}, address: "TEMPO_ENDPOINT=", full: full("otlp_grpc/tempo"), other: "LOKI_ENDPOINT=http://"},
		{name: "loki", configs: []string{"embedded:tempo"}, address: "LOKI_ENDPOINT=http://", suffix: "/otlp", full: full("otlp_http/loki"), other: "TEMPO_ENDPOINT="},
		{name: "compose", configs: []string{"embedded:tempo", "file:" + compose, stored}, address: "TEMPO_ENDPOINT=", full: full("otlp_grpc/tempo"), page: true, other: "LOKI_ENDPOINT=http://"},
		{name: "langfuse", configs: []string{"embedded:langfuse"}, address: "LANGFUSE_HOST=http://", full: full("otlp_http/langfuse"), env: "LANGFUSE_SECRET_KEY=x"},
		{name: "phoenix", configs: []string{"embedded:phoenix"}, address: "PHOENIX_ENDPOINT=http://", full: full("otlp_http/phoenix")},
		{name: "honeycomb", configs: []string{"embedded:honeycomb"}, address: "HONEYCOMB_ENDPOINT=http://", full: full("otlp_http/honeycomb")},
		{name: "datadog", configs: []string{"embedded:datadog"}, address: "DD_OTLP_ENDPOINT=http://", full: full("otlp_http/datadog")},
		{name: "grafana-cloud", configs: []string{"embedded:grafana-cloud"}, address: "GRAFANA_CLOUD_ENDPOINT=http://", full: full("otlp_http/grafana-cloud")},
		// These refuse when a queue is full, so that nothing is lost: theirs are as they are shipped, and hold this.
		{name: "receiver", configs: []string{scale("receiver")}, address: "OTLP_ENDPOINT="},
		{name: "agent", configs: []string{scale("agent"), stored}, address: "KAFKA_BROKERS="},
	} {
		for how, address := range dead {
			t.Run(test.name+"/"+how, func(t *testing.T) {
				env := []string{test.address + address(t) + test.suffix, test.env, "XDG_STATE_HOME=" + t.TempDir()}
				b, loki := (*backend)(nil), &records{}
				switch {
				case strings.HasPrefix(test.other, "LOKI"):
					server := httptest.NewServer(loki)
					defer server.Close()
					env = append(env, "LOKI_ENDPOINT="+server.URL+"/otlp")
				case test.other != "":
					var endpoint string
					b, endpoint = startBackend(t)
					env = append(env, test.other+endpoint)
				}
				var args []string
				for _, config := range append(test.configs, "yaml:"+cmp.Or(test.full, "{}")) {
					args = append(args, "--config", config)
				}
				p := start(t, env, args...)
				const sessions = 50
				began := time.Now()
				for n := range sessions {
					sendSession(t, p, n)
				}
				assert.Less(t, time.Since(began), 20*time.Second, "senders wait")
				if test.page {
					for n := range sessions {
						assert.Contains(t, get(t, fmt.Sprintf("http://%s/_inspector/trace/session-%d", p.page, n)), "forecast")
					}
				}
				switch {
				case b != nil:
					require.Eventually(t, func() bool { return len(b.received()) >= 3*sessions }, 30*time.Second, 50*time.Millisecond)
				case test.other != "":
					arrives(t, loki)
				}
			})
		}
	}
}

// sendSession sends a tool call with 3 KB, a hook, and a span over OTLP: all are accepted.
func sendSession(t *testing.T, p ports, n int) {
	t.Helper()
	session := fmt.Sprintf("session-%d", n)
	call := strings.ReplaceAll(strings.ReplaceAll(conversation, `"s-1"`, `"`+session+`"`), `"Oslo"`, `"`+strings.Repeat("Oslo ", 600)+`"`)
	accepted(t, "http://"+p.mcp+"/v1/observations", "application/x-ndjson", call)
	accepted(t, "http://"+p.mcp+"/v1/hooks/claude-code", "application/json",
		fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"hook-%d","source":"startup","cwd":"/"}`, n))
	traces, span := oneSpan()
	span.SetTraceID([16]byte{2, byte(n)})
	sendTraces(t, p, ptraceotlp.NewExportRequestFromTraces(traces))
}

func accepted(t *testing.T, url, contentType, body string) {
	t.Helper()
	resp, err := (&http.Client{Timeout: 5 * time.Second}).Post(url, contentType, strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Less(t, resp.StatusCode, 300, url)
}
