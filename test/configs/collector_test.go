// Package configs runs the built binary with the shipped configurations.
package configs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// root is the repository, seen from this package.
const root = "../.."

// binary is the distribution: the one OTELCOL_MCP names, or one built for these tests.
var binary string

func TestMain(m *testing.M) {
	code, err := runWithBinary(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func runWithBinary(m *testing.M) (int, error) {
	var err error
	if ready := os.Getenv("OTELCOL_MCP"); ready != "" {
		binary, err = filepath.Abs(ready)
		return m.Run(), err
	}
	dir, err := os.MkdirTemp("", "otelcol-mcp")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "otelcol-mcp")
	if out, err := exec.Command("go", "build", "-o", binary, root+"/cmd/otelcol-mcp").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// output collects what the collector writes while a test reads it.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// ports of one running collector, none of them a usual one.
type ports struct{ mcp, grpc, http, health string }

func freePorts(t *testing.T) ports {
	free := make([]string, 4)
	for i := range free {
		listener, err := net.Listen("tcp", "localhost:0")
		require.NoError(t, err)
		defer listener.Close()
		free[i] = listener.Addr().String()
	}
	return ports{free[0], free[1], free[2], free[3]}
}

// override moves a shipped configuration to free ports and silences its metrics server.
func (p ports) override() string {
	return fmt.Sprintf(`
receivers:
  mcp: {http: {endpoint: "%s"}}
  otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}
extensions:
  healthcheckv2: {http: {endpoint: "%s"}}
service: {telemetry: {metrics: {level: none, readers: []}}}
`, p.mcp, p.grpc, p.http, p.health)
}

// start runs the collector until the test ends; it must be healthy soon and stop by itself on SIGTERM.
func start(t *testing.T, env []string, args ...string) ports {
	t.Helper()
	p := freePorts(t)
	cmd := exec.Command(binary, append(args, "--config", "yaml:"+p.override())...)
	cmd.Env = append(os.Environ(), env...)
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { stop(t, cmd, out) })
	require.Eventually(t, func() bool { return healthy(p.health) }, 20*time.Second, 50*time.Millisecond, "not healthy:\n%s", out)
	return p
}

func stop(t *testing.T, cmd *exec.Cmd, out *output) {
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	kill := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Wait()
	// The collector is healthy a moment before it listens for signals, and a short test may hit it then.
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		require.NoError(t, err, "%s", out)
	}
	if t.Failed() {
		t.Log(out)
	}
}

func healthy(endpoint string) bool {
	resp, err := http.Get("http://" + endpoint + "/status")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
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

// readLine waits for the first line of a file that the collector writes.
func readLine(t *testing.T, path string) string {
	t.Helper()
	var line string
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(path)
		var whole bool
		line, _, whole = strings.Cut(string(text), "\n")
		return err == nil && whole
	}, 20*time.Second, 50*time.Millisecond, "%s has no line", path)
	return line
}

// command runs the binary to its end.
func command(t *testing.T, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
