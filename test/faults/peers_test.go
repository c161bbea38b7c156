package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// hostile is a server that the collector reads from, and that means harm. Each
// way is asked for everything: the stream, the list of sessions, MCP.
type hostile func(w http.ResponseWriter, r *http.Request)

// endless writes something again and again until the client has gone.
func endless(w http.ResponseWriter, r *http.Request, contentType, something string, pause time.Duration) {
	w.Header().Set("Content-Type", contentType)
	for r.Context().Err() == nil {
		if _, err := w.Write([]byte(something)); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
		}
	}
}

func redirectTo(status int, url string) hostile {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url+r.URL.Path, status) }
}

func sse(text string, pause time.Duration) hostile {
	return func(w http.ResponseWriter, r *http.Request) { endless(w, r, "text/event-stream", text, pause) }
}

// zipped is a stream that unpacks to much more than is sent.
func zipped() hostile {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, _ = z.Write(bytes.Repeat([]byte("data: x"), 10<<20))
	_ = z.Close()
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		endless(w, r, "text/event-stream", member.String(), 0)
	}
}

// hostiles are all ways; elsewhere is a server that they send clients to.
func hostiles(elsewhere string) map[string]hostile {
	kilobyte := strings.Repeat("x", 1024)
	return map[string]hostile{
		"redirect 302":         redirectTo(http.StatusFound, elsewhere),
		"redirect 307":         redirectTo(http.StatusTemporaryRedirect, elsewhere),
		"redirect 308":         redirectTo(http.StatusPermanentRedirect, elsewhere),
		"redirect to metadata": redirectTo(http.StatusFound, "http://169.254.169.254"),
		"redirect for ever":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
		"endless line":         sse(kilobyte, 0),
		"endless data":         sse("data: "+kilobyte+"\n", 0),
		"endless comments":     sse(": "+kilobyte+"\n\n", 0),
		"slow bytes":           sse("x", 50*time.Millisecond),
		"endless empty events": sse("data:\n\n", 0),
		"endless ids":          sse("id: "+kilobyte+"\ndata: {}\n\n", 0),
		"retry never":          sse("retry: 99999999999999999999\ndata: {}\n\n", time.Millisecond),
		"sessions without end": sessionsWithoutEnd(),
		"endless JSON": func(w http.ResponseWriter, r *http.Request) {
			endless(w, r, "application/json", `{"sessions":[`+kilobyte, 0)
		},
		"endless rows": func(w http.ResponseWriter, r *http.Request) { endlessRows(w, r) },
		"deep JSON": func(w http.ResponseWriter, r *http.Request) {
			endless(w, r, "application/json", strings.Repeat("[", 1024), 0)
		},
		"endless headers":       func(w http.ResponseWriter, r *http.Request) { endlessHeaders(w, r) },
		"answer of 1,000 parts": func(w http.ResponseWriter, r *http.Request) { endless(w, r, "application/json", " ", time.Millisecond) },
		"zipped":                zipped(),
		"hung up":               func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"401":                   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
	}
}

func sessionsWithoutEnd() hostile {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			id := n.Add(1)
			if _, err := fmt.Fprintf(w, "id: %d\ndata: {\"type\":\"SessionStarted\",\"session_id\":\"h-%[1]d\",\"engine\":\"x\",\"event_id\":%[1]d}\n\n", id); err != nil {
				return
			}
		}
	}
}

func endlessRows(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"sessions":[`))
	for n := 0; r.Context().Err() == nil; n++ {
		if _, err := fmt.Fprintf(w, `{"id":"r-%d","status":"running"},`, n); err != nil {
			return
		}
	}
}

func endlessHeaders(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
	for n := 0; r.Context().Err() == nil; n++ {
		if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", n, strings.Repeat("x", 1000)); err != nil {
			return
		}
	}
}

// TestHostilePeers has the collector read from servers that mean harm. It stays
// within its memory, takes what others send, stops when it is told to, and gives
// its credentials to nobody else.
func TestHostilePeers(t *testing.T) {
	var led atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	t.Cleanup(elsewhere.Close)
	t.Cleanup(func() { assert.Zero(t, led.Load(), "the collector was led to another server") })
	for name, peer := range hostiles(elsewhere.URL) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				peer(w, r)
			}))
			server.Start()
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			c := startLimited(t, fmt.Sprintf(`
receivers:
  mcp:
    inspector: [{endpoint: "%s/_inspector/events", fetch_traces: true, headers: {Authorization: secret}}]
    events:
      - {endpoint: "%[1]s/mcp", headers: {Authorization: secret}, delivery: [push, poll], subscriptions: [{name: incident.created}]}
`, server.URL))
			stop := c.watchHealth(t)
			<-time.After(choose(time.Second, 20*time.Second))
			assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "beside it")
			t.Logf("it was asked %d times, slowest answer of the health check %v", asked.Load(), stop())
			assert.Positive(t, asked.Load())
			assert.Less(t, asked.Load(), int64(choose(200, 2000)), "asked again and again")
			c.checkResident(t)
			c.process.Terminate(t)
		})
	}
}
