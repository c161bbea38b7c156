// Package configs runs the built binary with the shipped configurations.
package configs

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// ports of one running collector, none of them a usual one.
type ports struct{ mcp, grpc, http, health, page string }

func freePorts(t *testing.T) ports {
	return ports{harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)}
}

// override moves a shipped configuration to free ports and silences its metrics server.
func (p ports) override() string {
	return fmt.Sprintf(`
receivers:
  mcp: {http: {endpoint: "%s"}, otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}}
extensions:
  healthcheckv2: {http: {endpoint: "%s"}}
exporters:
  mcp_inspector: {http: {endpoint: "%s"}}
  prometheus: {endpoint: "localhost:0"}
service: {telemetry: {metrics: {level: none, readers: []}}}
`, p.mcp, p.grpc, p.http, p.health, p.page)
}

// start runs the collector until the test ends; it must be healthy soon and stop by itself on SIGTERM.
func start(t *testing.T, env []string, args ...string) ports {
	t.Helper()
	p := freePorts(t)
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "HOME=") }) {
		env = append([]string{"XDG_STATE_HOME=" + t.TempDir()}, env...) // what is later in env counts
	}
	collector := harness.Start(t, "otelcol-mcp", harness.Collector(t), env, append(args, "--config", "yaml:"+p.override()))
	collector.Ready(t, func() bool { return harness.HTTPOK("http://" + p.health + "/status") })
	return p
}

func sendTraces(t *testing.T, p ports, req ptraceotlp.ExportRequest) {
	t.Helper()
	body, err := req.MarshalProto()
	require.NoError(t, err)
	post(t, "http://"+p.http+"/v1/traces", body)
}

func sendLogs(t *testing.T, p ports, req plogotlp.ExportRequest) {
	t.Helper()
	body, err := req.MarshalProto()
	require.NoError(t, err)
	post(t, "http://"+p.http+"/v1/logs", body)
}

func post(t *testing.T, url string, body []byte) {
	t.Helper()
	resp, err := http.Post(url, "application/x-protobuf", bytes.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", answer)
}

// readLine waits for the first line of a file that the collector writes, plain or gzip.
func readLine(t *testing.T, path string) string {
	t.Helper()
	var line string
	require.Eventually(t, func() bool {
		file, err := os.Open(path)
		if err != nil {
			return false
		}
		defer file.Close()
		text := io.Reader(file)
		if strings.HasSuffix(path, ".gz") {
			if text, err = gzip.NewReader(file); err != nil {
				return false
			}
		}
		line, err = bufio.NewReader(text).ReadString('\n')
		return err == nil
	}, 20*time.Second, 50*time.Millisecond, "%s has no line", path)
	return line
}

// command runs the binary to its end.
func command(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, harness.Collector(t), args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// gunzipped is a request's body, as it was before it was compressed.
func gunzipped(q *http.Request, body []byte) []byte {
	if q.Header.Get("Content-Encoding") != "gzip" {
		return body
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil
	}
	return text
}
