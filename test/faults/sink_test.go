package faults

import (
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// ill is a backend that takes OTLP over HTTP and can be made to behave badly. It
// keeps no span, but how often each tool was called, each event came and each
// session ended.
type ill struct {
	*httptest.Server
	mu    sync.Mutex
	how   func(http.ResponseWriter, *http.Request) bool // whether the request may go on; nil: well
	tools map[string]int
	roots map[string]int
}

func startIll(t *testing.T) *ill {
	t.Helper()
	s := &ill{tools: map[string]int{}, roots: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.behave(nil)
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// behave changes how requests from now on are treated.
func (s *ill) behave(how func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = how
}

func (s *ill) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	how := s.how
	s.mu.Unlock()
	if how != nil && !how(w, r) {
		return
	}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = unzipped
	}
	text, err := io.ReadAll(body)
	request := ptraceotlp.NewExportRequest()
	if err != nil || request.UnmarshalProto(text) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.count(request)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (s *ill) count(request ptraceotlp.ExportRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rs := range request.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				switch span.Name() {
				case "tool.call":
					tool, _ := span.Attributes().Get("mcp.tool.name")
					s.tools[tool.Str()]++
				case "notifications/events/event":
					event, _ := span.Attributes().Get("mcp.event.id")
					s.tools[event.Str()]++
				case "workflow.run":
					session, _ := span.Attributes().Get("session.id")
					s.roots[session.Str()]++
				}
			}
		}
	}
}

// missing is one of those that have not arrived, and how many came again.
func (s *ill) missing(tools, sessions []string) (missing string, again int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for arrived, all := range map[*map[string]int][]string{&s.tools: tools, &s.roots: sessions} {
		for _, each := range all {
			n := (*arrived)[each]
			if n == 0 {
				return each, 0
			}
			again += n - 1
		}
	}
	return "", again
}

// The ways in which a backend is ill. Each says whether it takes the spans.
func refusing(status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		return false
	}
}

func hanging(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
	<-r.Context().Done()
	return false
}

func resetting(w http.ResponseWriter, r *http.Request) bool {
	if rand.IntN(2) == 0 {
		_, _ = io.CopyN(io.Discard, r.Body, 100)
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
	return false
}

func slow(_ http.ResponseWriter, r *http.Request) bool {
	select {
	case <-time.After(300 * time.Millisecond):
		return true
	case <-r.Context().Done():
		return false
	}
}

// alternating calls one way after the other, for a while each.
func alternating(each time.Duration, one, other func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	start := time.Now()
	return func(w http.ResponseWriter, r *http.Request) bool {
		if time.Since(start)/each%2 == 0 {
			return one(w, r)
		}
		return other(w, r)
	}
}

func well(http.ResponseWriter, *http.Request) bool { return true }

func (s *ill) awaitAll(t *testing.T, tools, sessions []string) (again int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute) // it has a lot to catch up with
	for {
		missing, again := s.missing(tools, sessions)
		if missing == "" {
			return again
		}
		require.False(t, time.Now().After(deadline), "%s was acknowledged and is lost", missing)
		<-time.After(100 * time.Millisecond)
	}
}
