package mcpreceiver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

const (
	// manySessions is the size to think of; also the default of
	// session::max_sessions.
	manySessions = 100_000
	// perSession bounds the memory of each, in bytes.
	perSession = 1536
)

// TestMemoryOfSessions holds what a session with one heartbeat takes to the
// limit, and that one more session evicts the one that was silent the longest.
func TestMemoryOfSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 100,000 sessions")
	}
	g := &gate{}
	r := bigReceiver(t, createDefaultConfig().(*Config), consumertest.NewNop())
	p := newPusher(r)
	p.post(t, manySessions) // what is there only once, and is not that of a session
	require.NoError(t, r.sessions.drain(t.Context()))
	heap, resident := memoryInUse()
	for i := range manySessions {
		p.post(t, i)
		if i%5000 == 0 {
			runtime.GC() // so many come in hours, not in a second, and Go collects every two minutes
		}
	}
	require.Equal(t, manySessions, r.runner.Engine.Sizes().Sessions)
	heapNow, residentNow := memoryInUse()
	heap, resident = heapNow-heap, residentNow-resident
	fmt.Printf("memory of each of %d sessions with one heartbeat: %d bytes of heap, %d resident; at most %d\n",
		manySessions, heap/manySessions, resident/manySessions, perSession)
	assert.Less(t, heap/manySessions, int64(perSession))

	r.setTraces(g)
	p.post(t, 0) // is not the longest silent now
	p.post(t, manySessions+1)
	_, err := r.runner.Sweep(t.Context(), false)
	require.NoError(t, err)
	assert.Equal(t, manySessions, r.runner.Engine.Sizes().Sessions)
	roots := g.named("workflow.run")
	require.Len(t, roots, 1)
	session, _ := roots[0].Attributes().Get("session.id")
	assert.Equal(t, sessionName(1), session.Str())
	assert.Equal(t, []string{"evicted"}, g.reasons())
}

// BenchmarkSessions posts a heartbeat of one of many sessions, and of the only
// one: without a network, and to the receiver's own server over loopback, the
// client's work included.
func BenchmarkSessions(b *testing.B) {
	for _, n := range []int{1, manySessions} {
		way := map[int]string{1: "one", manySessions: "many"}[n]
		cfg, url := listening(b)
		r := bigReceiver(b, cfg, consumertest.NewNop())
		require.NoError(b, r.Start(b.Context(), componenttest.NewNopHost()))
		p := newPusher(r)
		for i := range n {
			p.post(b, i)
		}
		runtime.GC()
		b.Run("process/"+way, func(b *testing.B) {
			i := 0
			cputime.Loop(b, func() {
				i++
				p.post(b, i*stride%n)
			})
		})
		c := dial(b, url)
		b.Run("http/"+way, func(b *testing.B) {
			i := 0
			cputime.Loop(b, func() {
				i++
				c.post(b, i*stride%n)
			})
		})
		require.NoError(b, c.Close())
		require.Equal(b, n, r.runner.Engine.Sizes().Sessions)
		require.NoError(b, r.Shutdown(b.Context()))
	}
}

// stride visits the sessions in an order that no cache foresees.
const stride = 7919

// bigReceiver never takes a host for a flood.
func bigReceiver(tb testing.TB, cfg *Config, next consumer.Traces) *mcpReceiver {
	cfg.Limits.NoticesPerSecond = math.MaxInt32
	set := receivertest.NewNopSettings(metadata.Type)
	set.MeterProvider = componenttest.NewTelemetry().NewTelemetrySettings().MeterProvider // counting is not free
	r, err := newReceiver(set, cfg, newDecoder)
	require.NoError(tb, err)
	r.setTraces(next)
	return r
}

func sessionName(i int) string { return fmt.Sprintf("49757271-d177-4d40-9b30-%012d", i) }

// pusher posts heartbeats without a network.
type pusher struct {
	handler http.Handler
	request *http.Request
	body    *bytes.Reader
	reply   *benchReply
}

func newPusher(r *mcpReceiver) *pusher {
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	p := &pusher{
		handler: httpserver.Guard{Loopback: true}.Wrap(mux), reply: &benchReply{header: http.Header{}},
		body: bytes.NewReader([]byte(payload.HostBeat)),
	}
	p.request = httptest.NewRequest(http.MethodPost, "http://localhost:4319"+push.ObservationsPath, p.body)
	p.request.Header.Set("Content-Type", "application/json")
	p.request.Body = io.NopCloser(p.body)
	return p
}

func (p *pusher) post(tb testing.TB, session int) {
	_, _ = p.body.Seek(0, io.SeekStart)
	p.request.Header["X-Session-Id"] = []string{sessionName(session)}
	p.handler.ServeHTTP(p.reply, p.request)
	if p.reply.status != http.StatusAccepted {
		require.Equal(tb, http.StatusAccepted, p.reply.status)
	}
}

// conn posts heartbeats over one connection, with as little work as HTTP allows.
type conn struct {
	net.Conn
	replies *bufio.Reader
	request []byte
	session []byte // its place in request
}

// listening is the default configuration with a port that is free.
func listening(tb testing.TB) (cfg *Config, address string) {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(tb, err)
	defer l.Close()
	cfg = createDefaultConfig().(*Config)
	cfg.HTTP.Get().NetAddr.Endpoint = l.Addr().String()
	return cfg, l.Addr().String()
}

func dial(tb testing.TB, address string) *conn {
	c, err := net.Dial("tcp", address)
	require.NoError(tb, err)
	name := []byte(sessionName(0))
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nX-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s",
		push.ObservationsPath, address, name, len(payload.HostBeat), payload.HostBeat)
	at := bytes.Index(request, name)
	return &conn{c, bufio.NewReader(c), request, request[at : at+len(name)]}
}

func (c *conn) post(tb testing.TB, session int) {
	copy(c.session, sessionName(session))
	if _, err := c.Write(c.request); err != nil {
		require.NoError(tb, err)
	}
	line, err := c.replies.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(line, []byte("HTTP/1.1 202 ")) {
		require.Fail(tb, "not accepted", "%s %v", line, err)
	}
	for len(line) > len("\r\n") && err == nil { // the reply has no body
		line, err = c.replies.ReadSlice('\n')
	}
	if err != nil {
		require.NoError(tb, err)
	}
}

// memoryInUse returns what is in use, without garbage: of the heap, and resident of the
// process, 0 where that is not known.
func memoryInUse() (heap, resident int64) {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		resident = pages * int64(os.Getpagesize())
	}
	return int64(m.HeapAlloc), resident
}
