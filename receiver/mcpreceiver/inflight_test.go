package mcpreceiver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// everyBody are the endpoints that read bodies, and who listens for them.
func everyBody(cfg *Config) map[string]string {
	main := cfg.HTTP.Get().NetAddr.Endpoint
	return map[string]string{
		"/v1/observations": main, "/v1/inspector/events": main, "/v1/hooks/claude-code": main, "/mcp": main,
		"/v1/webhooks": cfg.Webhooks.HTTP.Get().NetAddr.Endpoint,
	}
}

// budgeted is a configuration with both servers.
func budgeted(t *testing.T, inFlight int64) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Get().NetAddr.Endpoint = harness.FreeAddress(t)
	webhooks := confighttp.NewDefaultServerConfig()
	webhooks.NetAddr.Endpoint = harness.FreeAddress(t)
	cfg.Webhooks.HTTP = configoptional.Some(webhooks)
	cfg.Limits.InFlightBytes = inFlight
	return cfg
}

// announce opens a connection, announces a body and sends nothing of it. It
// returns when the handler waits for it.
func announce(t *testing.T, address, path string, bytes int) (net.Conn, *bufio.Reader) {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		path, address, bytes)
	require.NoError(t, err)
	answers := bufio.NewReaderSize(conn, 16)
	for line := "\n"; line != "\r\n"; {
		line, err = answers.ReadString('\n')
		require.NoError(t, err)
	}
	return conn, answers
}

// postTo posts a body and returns the answer without its body.
func postTo(t *testing.T, address, path string, body io.Reader) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+path, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	response.Status = string(text)
	return response
}

// TestAnnouncedBodiesHoldLittle opens connections that announce large bodies.
func TestAnnouncedBodiesHoldLittle(t *testing.T) {
	const connections, announced, each = 200, 200_000, 64 << 10
	cfg := budgeted(t, 0)
	r, _ := measured(t, cfg, &gate{})
	for path, address := range everyBody(cfg) {
		before := heap()
		var open []net.Conn
		for range connections {
			conn, _ := announce(t, address, path, announced)
			open = append(open, conn)
		}
		assert.Less(t, (heap()-before)/connections, int64(each), "bytes a connection, both ends, at %s", path)
		assert.Zero(t, r.runner.Bodies.Used(), "an announcement takes no room")
		for _, conn := range open {
			require.NoError(t, conn.Close())
		}
	}
	require.NoError(t, r.Shutdown(t.Context()))
}

// TestAnnouncedTooLong: what an endpoint does not take is refused by its announced
// length, so that nobody sends it.
func TestAnnouncedTooLong(t *testing.T) {
	cfg := budgeted(t, 0)
	r, _ := measured(t, cfg, &gate{})
	for path, address := range everyBody(cfg) {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
			path, cfg.HTTP.Get().MaxRequestBodySize+1)
		require.NoError(t, err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "HTTP/1.1 413 Request Entity Too Large\r\n", line, path)
		require.NoError(t, conn.Close())
	}
	require.NoError(t, r.Shutdown(t.Context()))
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestInFlightBytes fills the budget with one request and asks for more.
func TestInFlightBytes(t *testing.T) {
	const limit, held = 100_000, 90_000
	cfg := budgeted(t, limit)
	r, tel := measured(t, cfg, &gate{})
	holder, answers := announce(t, cfg.HTTP.Get().NetAddr.Endpoint, "/v1/observations", held+10)
	_, err := io.WriteString(holder, strings.Repeat(" ", held))
	require.NoError(t, err)
	harness.Eventually(t, "the body does not arrive", func() bool { return r.runner.Bodies.Used() == held })

	var want []metricdata.DataPoint[int64]
	for path, address := range everyBody(cfg) {
		for name, body := range map[string]io.Reader{
			"announced": strings.NewReader(strings.Repeat(" ", 20_000)),
			"chunked":   io.MultiReader(strings.NewReader(strings.Repeat(" ", 20_000))),
		} {
			response := postTo(t, address, path, body)
			assert.Equal(t, http.StatusTooManyRequests, response.StatusCode, "%s %s: %s", path, name, response.Status)
			assert.Equal(t, "1", response.Header.Get("Retry-After"))
			assert.Contains(t, response.Status, "limits::in_flight_bytes")
		}
		refused := int64(2)
		if path != "/v1/webhooks" { // whose bodies have a lower bound of their own
			response := postTo(t, address, path, strings.NewReader(strings.Repeat(" ", limit+1)))
			assert.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode, "%s: %s", path, response.Status)
			assert.Contains(t, response.Status, "limits::in_flight_bytes")
			refused++
		}
		want = append(want, point(refused, "endpoint", path, "reason", "in_flight_bytes"))
		assert.EqualValues(t, held, r.runner.Bodies.Used(), "what is refused takes no room")
	}
	metadatatest.AssertEqualMcpReceiverRejectedMessages(t, tel, want, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())

	_, err = io.WriteString(holder, "          ")
	require.NoError(t, err)
	line, err := answers.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "400", "the holder has its own answer: there is no message")
	harness.Eventually(t, "the room is not given back", func() bool { return r.runner.Bodies.Used() == 0 })
	assert.Equal(t, http.StatusAccepted, postTo(t, cfg.HTTP.Get().NetAddr.Endpoint, "/v1/observations", strings.NewReader(notice)).StatusCode)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

// TestRoomIsGivenBack after every way in which a request ends.
func TestRoomIsGivenBack(t *testing.T) {
	cfg := budgeted(t, 100_000)
	cfg.HTTP.Get().ReadTimeout = time.Second
	g := &gate{}
	r, _ := measured(t, cfg, g)
	address := cfg.HTTP.Get().NetAddr.Endpoint
	free := func(what string) {
		t.Helper()
		harness.Eventually(t, what+": the room is not given back", func() bool { return r.runner.Bodies.Used() == 0 })
	}
	g.refuse(times(1, assert.AnError))
	assert.Equal(t, http.StatusServiceUnavailable, postTo(t, address, "/v1/observations", strings.NewReader(notice)).StatusCode)
	free("refused")

	g.refuse(func() error { panic("a pipeline") })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/observations", strings.NewReader(notice))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	require.Error(t, err, "a panic closes the connection")
	free("panicked")
	g.refuse(nil)

	for _, path := range []string{"/v1/observations", "/mcp"} {
		gone, _ := announce(t, address, path, 1000)
		_, err = io.WriteString(gone, "half")
		require.NoError(t, err)
		harness.Eventually(t, "the body does not arrive", func() bool { return r.runner.Bodies.Used() == 4 })
		require.NoError(t, gone.Close())
		free("gone")

		slow, answers := announce(t, address, path, 1000)
		_, err = io.WriteString(slow, "half")
		require.NoError(t, err)
		line, err := answers.ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, line, "400", "read_timeout")
		free("timed out")
	}
	require.NoError(t, r.Shutdown(t.Context()))
}
