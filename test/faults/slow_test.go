package faults

import (
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// drip sends a byte now and then to each connection, until it is closed.
func drip(t *testing.T, conns []net.Conn, b string) (closed *atomic.Int64) {
	closed = &atomic.Int64{}
	for _, conn := range conns {
		go func() {
			for {
				if _, err := io.WriteString(conn, b); err != nil {
					closed.Add(1)
					return
				}
				select {
				case <-t.Context().Done():
					return
				case <-time.After(time.Second):
				}
			}
		}()
	}
	return closed
}

// TestSlowSenders opens connections to each server that send a byte a second: of a
// header, or of a body that is announced to be large. They cost little, nobody else
// waits for them, and they do not stay for ever.
func TestSlowSenders(t *testing.T) {
	otlp, page := harness.FreeAddress(t), harness.FreeAddress(t)
	c := startLimited(t, fmt.Sprintf(`
receivers: {mcp: {otlp: {protocols: {http: {endpoint: "%s"}}}}}
exporters: {mcp_inspector: {http: {endpoint: "%s"}}}
`, otlp, page))
	for _, tt := range []struct {
		name, address, path string
		body                bool
	}{
		{"headers of messages", c.mcp, "/v1/observations", false},
		{"observations", c.mcp, "/v1/observations", true},
		{"hooks", c.mcp, "/v1/hooks/claude-code", true},
		{"MCP", c.mcp, "/mcp", true},
		{"headers of OTLP", otlp, "/v1/logs", false},
		{"OTLP", otlp, "/v1/logs", true},
		{"headers of the page", page, "/_inspector/sessions", false},
		{"the page", page, "/_inspector/sessions", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var conns []net.Conn
			for range choose(200, 1000) {
				conn := dial(t, tt.address)
				head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", tt.path)
				if tt.body {
					head += "Content-Length: 10000000\r\n\r\n["
				} else {
					head += "X-Slow: "
				}
				_, err := io.WriteString(conn, head)
				require.NoError(t, err)
				conns = append(conns, conn)
			}
			closed := drip(t, conns, " ")
			<-time.After(choose(500*time.Millisecond, 2*time.Second))
			assert.Equal(t, "202", post(c.mcp, completedCall(100)), "beside them")
			t.Logf("%d connections, slowest answer of the health check %v", len(conns), c.slowestHealth(t))
			if *long {
				start := time.Now()
				assert.Eventually(t, func() bool { return closed.Load() == int64(len(conns)) }, 2*harness.Patience, time.Second, "they are not closed")
				t.Logf("closed after %v", time.Since(start).Round(time.Second))
			}
			for _, conn := range conns {
				assert.NoError(t, conn.Close())
			}
		})
	}
	c.checkResident(t)
}

// TestDeafReaders opens connections that ask the page for everything and read
// nothing of it, while there is much to tell.
func TestDeafReaders(t *testing.T) {
	page := harness.FreeAddress(t)
	c := startLimited(t, fmt.Sprintf(`exporters: {mcp_inspector: {http: {endpoint: %q}}}`, page))
	require.Equal(t, "202", post(c.mcp, completedCall(400_000)))
	for range choose(50, 250) {
		for _, path := range []string{"/_inspector/events", "/_inspector/sessions", "/_inspector/trace/0", "/_inspector/ui"} {
			_, err := fmt.Fprintf(dial(t, page), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
			require.NoError(t, err)
		}
	}
	answers := c.flood(16, completedCall(20_000))
	t.Logf("answers %v, slowest answer of the health check %v", answers.count, c.slowestHealth(t))
	answers.only(t, "202", "429", "503")
	assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
	c.checkResident(t)
}
