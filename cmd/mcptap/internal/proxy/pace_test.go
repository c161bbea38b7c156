package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// pipeListener accepts in-memory connections, whose deadlines obey the virtual
// clock.
type pipeListener struct{ conns chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (pipeListener) Close() error   { return nil }
func (pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

// upstream answers once it has read the whole request.
type upstream struct{ delay time.Duration }

func (u upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	time.Sleep(u.delay)
	header := http.Header{"Content-Type": {"text/plain"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(string(text))), Request: r}, nil
}

// speak sends a request with a body of this length in pieces, one after each
// pause, and returns the answer and when it came.
func speak(t *testing.T, to upstream, pause time.Duration, length int, piece string) (response *http.Response, after time.Duration, records []seen) {
	t.Helper()
	target, err := ParseTarget("http://127.0.0.1:9/mcp")
	require.NoError(t, err)
	var k kept
	p := New(Options{Target: target, Around: observation.Record{Session: "tap"}, MaxMessage: 1000}, &k, false, io.Discard)
	p.reverse.Transport = to
	l := pipeListener{make(chan net.Conn, 1)}
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(l) }()
	ours, theirs := net.Pipe()
	l.conns <- theirs
	begun := time.Now()
	spoken := make(chan struct{})
	go func() {
		defer close(spoken)
		_, _ = io.WriteString(ours, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+strconv.Itoa(length)+"\r\n\r\n")
		for range length / len(piece) {
			time.Sleep(pause)
			if _, err := io.WriteString(ours, piece); err != nil {
				return
			}
		}
	}()
	response, err = http.ReadResponse(bufio.NewReader(ours), nil)
	require.NoError(t, err)
	after = time.Since(begun)
	_, _ = io.Copy(io.Discard, response.Body)
	_ = ours.Close()
	close(l.conns)
	_ = server.Close()
	<-spoken
	return response, after, k.all()
}

func TestSlowBodies(t *testing.T) {
	for name, tt := range map[string]struct {
		pause  time.Duration
		length int
		piece  string
		delay  time.Duration // of the server
		status int
		after  time.Duration
	}{
		"silent":              {time.Hour, 100, "x", 0, http.StatusRequestTimeout, bodyIdle},
		"a byte a second":     {time.Second, 100, "x", 0, http.StatusRequestTimeout, bodyIdle},
		"slow enough":         {20 * time.Second, 100 << 10, strings.Repeat("x", 25<<10), 0, http.StatusOK, 80 * time.Second},
		"a server that waits": {0, 100, "x", time.Hour, http.StatusOK, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				response, after, records := speak(t, upstream{tt.delay}, tt.pause, tt.length, tt.piece)
				assert.Equal(t, tt.status, response.StatusCode)
				assert.Equal(t, tt.after, after.Truncate(time.Second))
				assert.Equal(t, tt.status != http.StatusOK, response.Close)
				for _, r := range records {
					assert.Empty(t, r.TransportStatus, "it was not the server's fault")
				}
			})
		})
	}
}
