package faults

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// limitMiB is the memory limiter's in these tests; resident memory may be a
// quarter more, since the limiter sees Go's heap alone.
const (
	limitMiB    = 256
	residentMiB = limitMiB * 5 / 4
)

// limited is a collector with a memory limiter.
type limited struct {
	process     *harness.Process
	mcp, health string // addresses
}

// startLimited starts one with the default configuration and what overrides it.
func startLimited(t *testing.T, overrides ...string) *limited {
	t.Helper()
	if runtime.GOOS != "linux" {
		harness.Missing(t, "resident memory is read from /proc, which only Linux has")
	}
	c := &limited{mcp: harness.FreeAddress(t), health: harness.FreeAddress(t)}
	override := fmt.Sprintf(`
receivers:
  mcp: {http: {endpoint: "%s"}, otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}}
processors:
  memory_limiter: {check_interval: 100ms, min_gc_interval_when_soft_limited: 1s, limit_mib: %d, spike_limit_mib: %d}
extensions:
  memory_limiter: {check_interval: 100ms, min_gc_interval_when_soft_limited: 1s, limit_mib: %[4]d, spike_limit_mib: %[5]d}
  healthcheckv2: {http: {endpoint: "%[6]s"}}
  zpages: {endpoint: "localhost:0"}
exporters:
  mcp_inspector: {http: {endpoint: "%[7]s"}}
  prometheus: {endpoint: "localhost:0"}
service: {telemetry: {metrics: {level: none, readers: []}}}
`, c.mcp, harness.FreeAddress(t), harness.FreeAddress(t), limitMiB, limitMiB/4, c.health, harness.FreeAddress(t))
	env := []string{"XDG_STATE_HOME=" + t.TempDir()}
	args := []string{"--config", "embedded:default"}
	for _, each := range append([]string{override}, overrides...) {
		args = append(args, "--config", "yaml:"+each)
	}
	c.process = harness.Start(t, "otelcol-mcp", harness.PlainCollector(t), env, args)
	c.process.Ready(t, func() bool { return harness.HTTPOK("http://" + c.health + "/status") })
	return c
}

// flood lets senders post a body all the time.
func (c *limited) flood(senders int, body []byte) *tally {
	deadline := time.Now().Add(overloadTime())
	answers := &tally{}
	var group sync.WaitGroup
	for range senders {
		group.Go(func() {
			for time.Now().Before(deadline) {
				answers.add(post(c.mcp, body))
			}
		})
	}
	group.Wait()
	client.CloseIdleConnections()
	return answers
}

// checkResident holds the process's peak of resident memory against the bound.
func (c *limited) checkResident(t *testing.T) {
	t.Helper()
	peak := residentPeak(t, c.process.ID())
	t.Logf("peak of resident memory %d MiB, the limit is %d MiB", peak, limitMiB)
	assert.LessOrEqual(t, peak, residentMiB, "MiB resident")
}

// residentPeak is the peak of a process's resident memory in MiB.
func residentPeak(t *testing.T, process int) int {
	t.Helper()
	return statusKilobytes(t, process, "VmHWM:") >> 10
}

func statusKilobytes(t *testing.T, process int, key string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	require.NoError(t, err, "the process is gone")
	_, value, found := strings.Cut(string(text), key)
	require.True(t, found)
	kilobytes, err := strconv.Atoi(strings.Fields(value)[0])
	require.NoError(t, err)
	return kilobytes
}

// slowestHealth asks a few times.
func (c *limited) slowestHealth(t *testing.T) (slowest time.Duration) {
	for range 5 {
		start := time.Now()
		assert.True(t, harness.HTTPOK("http://"+c.health+"/status"))
		slowest = max(slowest, time.Since(start))
	}
	return slowest
}

// watchHealth asks all the time until the function it returns is called, which
// returns how long the slowest answer took.
func (c *limited) watchHealth(t *testing.T) (stop func() time.Duration) {
	done, slowest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var worst time.Duration
		for {
			select {
			case <-done:
				slowest <- worst
				return
			case <-time.After(100 * time.Millisecond):
				worst = max(worst, c.slowestHealth(t))
			}
		}
	}()
	return func() time.Duration {
		close(done)
		return <-slowest
	}
}

// overloadTime is short unless OTELCOL_MCP_FAULTS gives another, as in 30s.
func overloadTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("OTELCOL_MCP_FAULTS")); err == nil {
		return d
	}
	return 3 * time.Second
}

// completedCall is a call and its reply of n bytes in all, about.
func completedCall(n int) []byte {
	half := strings.Repeat("x", n/2)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"a":"%s"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}`, half, half)
}

// client keeps a connection for each sender.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}

// post is the status of the answer, or what went wrong. The body belongs to one
// of a few sessions.
func post(address string, body []byte) string {
	request, err := http.NewRequest(http.MethodPost, "http://"+address+"/v1/observations", bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("X-Session-Id", strconv.Itoa(rand.IntN(64)))
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is kept
	status := strconv.Itoa(response.StatusCode)
	if status == "429" && response.Header.Get("Retry-After") == "" {
		return status + " without Retry-After"
	}
	return status
}

func eventuallyAccepted(t *testing.T, address string) (status string) {
	t.Helper()
	harness.Eventually(t, "nothing is accepted", func() bool {
		status = post(address, completedCall(100))
		return status == "202"
	})
	return status
}

// announce opens a connection and waits until its handler wants the body.
func announce(t *testing.T, address, path string, bytes int) (sent int) {
	conn := dial(t, address)
	media := "application/json"
	sent, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		path, address, media, bytes)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(harness.Patience)))
	line, err := bufio.NewReaderSize(conn, 64).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	return sent
}

func dial(t *testing.T, address string) net.Conn {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// tally counts answers. It is safe for concurrent use.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func (a *tally) add(status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == nil {
		a.count = map[string]int{}
	}
	a.count[status]++
}

func (a *tally) only(t *testing.T, allowed ...string) {
	t.Helper()
	for status := range a.count {
		assert.Contains(t, allowed, status)
	}
}
