package mcpreceiver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// gate is a pipeline that takes nothing while err says so.
type gate struct {
	mu    sync.Mutex
	err   func() error
	asked []time.Time
	taken []ptrace.Span
}

func (*gate) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (g *gate) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, time.Now())
	if g.err != nil {
		if err := g.err(); err != nil {
			return err
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			g.taken = append(g.taken, s)
		}
	}
	return nil
}

// refuse lets err decide from now on and forgets who asked.
func (g *gate) refuse(err func() error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked, g.err = nil, err
}

// named are the spans of that name.
func (g *gate) named(name string) (found []ptrace.Span) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.taken {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	return found
}

// reasons are why sessions ended.
func (g *gate) reasons() (reasons []string) {
	for _, s := range g.named("workflow.run") {
		v, _ := s.Attributes().Get("mcp.session.end_reason")
		reasons = append(reasons, v.Str())
	}
	return reasons
}

// times refuses so many times with err.
func times(n int, err error) func() error {
	return func() error {
		if n--; n >= 0 {
			return err
		}
		return nil
	}
}

// quiet is the default configuration without a server.
func quiet() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP = configoptional.None[confighttp.ServerConfig]()
	return cfg
}

func assemble(t *testing.T, cfg *Config, next consumer.Traces) *mcpReceiver {
	r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, newDecoder)
	require.NoError(t, err)
	r.setTraces(next)
	return r
}

// tell pushes a message of a session to the receiver without a server.
func tell(t *testing.T, r *mcpReceiver, session, body string) int {
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	return send(t, mux, session, body)
}

const notice = `{"jsonrpc":"2.0","method":"x"}`

func freePort(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	return l
}

func TestAPortInUse(t *testing.T) {
	l := freePort(t)
	defer l.Close()
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Get().NetAddr.Endpoint = l.Addr().String()
	r := assemble(t, cfg, &gate{})
	err := r.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "cannot listen on "+l.Addr().String())
	require.ErrorContains(t, err, "address already in use")
	require.ErrorContains(t, err, "or change receivers::"+r.set.ID.String()+"::http::endpoint")
	require.NoError(t, r.Shutdown(t.Context()))
}

func TestServes(t *testing.T) {
	l := freePort(t)
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Get().NetAddr.Endpoint = l.Addr().String()
	require.NoError(t, l.Close())
	g := &gate{}
	r := assemble(t, cfg, g)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	url := "http://" + cfg.HTTP.Get().NetAddr.Endpoint + push.ObservationsPath
	for host, want := range map[string]int{"": http.StatusAccepted, "evil.example": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(notice))
		require.NoError(t, err)
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, resp.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Len(t, g.named("x"), 1)
}

// The pipelines of one signal may have started when those of another have not.
func TestListensWhenAllSignalsHaveStarted(t *testing.T) {
	l := freePort(t)
	cfg, set, s := createDefaultConfig().(*Config), receivertest.NewNopSettings(metadata.Type), newSignals()
	cfg.HTTP.Get().NetAddr.Endpoint = l.Addr().String()
	require.NoError(t, l.Close())
	listens := func() bool {
		conn, err := net.Dial("tcp", l.Addr().String())
		return err == nil && conn.Close() == nil
	}
	traces, err := s.traces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	logs, err := s.logs(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	metrics, err := s.metrics(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	for _, r := range []component.Component{metrics, traces, logs} {
		assert.False(t, listens())
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	}
	assert.True(t, listens())
	for _, r := range []component.Component{traces, metrics, logs} {
		require.NoError(t, r.Shutdown(t.Context()))
		assert.False(t, listens())
	}
}

func TestShutdown(t *testing.T) {
	t.Run("without start", func(t *testing.T) {
		r := assemble(t, quiet(), &gate{})
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.Shutdown(t.Context()))
	})
	t.Run("twice", func(t *testing.T) {
		g := &gate{}
		r := assemble(t, quiet(), g)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.Shutdown(t.Context()))
		assert.Equal(t, []string{"shutdown"}, g.reasons())
		assert.Len(t, g.named("session.summary"), 1)
	})
	t.Run("pipeline refuses for good", func(t *testing.T) {
		g := &gate{}
		r := assemble(t, quiet(), g)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		g.refuse(times(100, errors.New("never again")))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorContains(t, r.Shutdown(ctx), "1 open sessions were lost: no pipeline accepted their end in time")
	})
}
