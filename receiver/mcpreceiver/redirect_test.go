package mcpreceiver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// thief notes what comes to it.
type thief struct {
	*httptest.Server
	mu    sync.Mutex
	heard []http.Header
}

func newThief(t *testing.T) *thief {
	s := &thief{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, r.Header)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *thief) assertNothing(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Empty(t, s.heard)
}

// redirecting passes what it does not redirect on to a handler.
func redirecting(t *testing.T, asked *atomic.Int64, paths map[string]string, rest http.Handler) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to, ok := paths[r.URL.Path]; ok {
			asked.Add(1)
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		rest.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func withSecret(cfg *Config, endpoint string) *Config {
	cfg.Inspector[0].Endpoint = endpoint + "/_inspector/events"
	cfg.Inspector[0].Headers = configopaque.MapList{{Name: "Authorization", Value: "Bearer secret"}}
	return cfg
}

func TestStreamRedirectedElsewhere(t *testing.T) {
	other, asked := newThief(t), &atomic.Int64{}
	server := redirecting(t, asked, map[string]string{"/_inspector/events": other.URL}, http.NotFoundHandler())
	cfg := withSecret(watching(newFakeInspector(t), false), server.URL)
	r := assemble(t, cfg, &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()})
	core, logs := observer.New(zap.WarnLevel)
	r.set.Logger = zap.New(core)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	eventually(t, "it is asked again", func() bool { return asked.Load() > 2 })
	require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
	other.assertNothing(t)
	require.Equal(t, 1, logs.FilterMessageSnippet("Source").Len())
	assert.Contains(t, logs.All()[0].ContextMap()["error"], "a redirect to another origin is not followed")
	assert.Contains(t, logs.All()[0].ContextMap()["error"], other.URL)
}

// The list of sessions and a session's trace are asked for with the same client.
func TestListAndTraceRedirectedElsewhere(t *testing.T) {
	other, asked, f := newThief(t), &atomic.Int64{}, newFakeInspector(t)
	server := redirecting(t, asked, map[string]string{
		"/_inspector/sessions": other.URL, "/_inspector/trace/s-1": other.URL,
	}, f.Config.Handler)
	r, sink := startSources(t, withSecret(watching(f, true), server.URL), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	frames <- "data: {\"type\": \"Heartbeat\"}\n\n"
	frames <- frame(2, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed"}`)
	eventually(t, "the session ends", func() bool { return sink.count("workflow.run") == 1 })
	require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
	assert.GreaterOrEqual(t, asked.Load(), int64(2))
	other.assertNothing(t)
}

// A server may move within its origin.
func TestStreamRedirectedWithin(t *testing.T) {
	f, asked := newFakeInspector(t), &atomic.Int64{}
	server := redirecting(t, asked, map[string]string{"/moved/events": "/_inspector/events"}, f.Config.Handler)
	cfg := withSecret(watching(f, false), server.URL)
	cfg.Inspector[0].Endpoint = server.URL + "/moved/events"
	_, sink := startSources(t, cfg, componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	eventually(t, "the session starts", func() bool { return sink.count("session.start") == 1 })
	assert.Positive(t, asked.Load())
}
