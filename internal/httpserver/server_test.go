package httpserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
)

// statusHost collects statuses.
type statusHost struct {
	component.Host
	events chan *componentstatus.Event
}

func (h statusHost) Report(e *componentstatus.Event) { h.events <- e }

// started serves a handler that answers "hello", or hangs at /hang until the
// test ends.
func started(t *testing.T, grace time.Duration) (*Server, chan struct{}) {
	host := statusHost{componenttest.NewNopHost(), make(chan *componentstatus.Event, 1)}
	hanging := make(chan struct{}, 1)
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	mux := http.NewServeMux()
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		hanging <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	s, err := Start(t.Context(), Settings{
		Config: serverConfig("localhost:0"), Key: key, Host: host, Telemetry: componenttest.NewNopTelemetrySettings(),
		Handler: func(net.Addr) http.Handler { return mux }, Grace: grace,
		Outermost: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Outermost", "yes")
				next.ServeHTTP(w, r)
			})
		},
	})
	require.NoError(t, err)
	return s, hanging
}

func TestServerServes(t *testing.T) {
	s, _ := started(t, 0)
	response, err := http.Get("http://" + s.Addr().String())
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(text))
	assert.Equal(t, "yes", response.Header.Get("Outermost"))

	_, err = Start(t.Context(), Settings{Config: serverConfig(s.Addr().String()), Key: key})
	require.ErrorContains(t, err, "stop the program that uses this port")

	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, s.Shutdown(t.Context()), "twice")
	_, err = net.Dial("tcp", s.Addr().String())
	require.Error(t, err)
}

func TestAServerThatFailsIsAFatalStatus(t *testing.T) {
	host := statusHost{componenttest.NewNopHost(), make(chan *componentstatus.Event, 1)}
	s, err := Start(t.Context(), Settings{
		Config: serverConfig("localhost:0"), Host: host, Telemetry: componenttest.NewNopTelemetrySettings(),
		Handler: func(net.Addr) http.Handler { return http.NotFoundHandler() },
	})
	require.NoError(t, err)
	broken := &brokenListener{}
	s.serve(broken, host)
	assert.Equal(t, componentstatus.StatusFatalError, (<-host.events).Status())
	require.NoError(t, s.Shutdown(t.Context()))
}

// brokenListener fails as soon as something is accepted.
type brokenListener struct{}

func (*brokenListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (*brokenListener) Close() error              { return nil }
func (*brokenListener) Addr() net.Addr            { return &net.TCPAddr{} }

func TestRequestsInProgressAreCutOff(t *testing.T) {
	for name, tt := range map[string]struct {
		grace time.Duration
		want  error
	}{
		"by the grace":   {time.Millisecond, nil},
		"by the context": {0, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			s, hanging := started(t, tt.grace)
			go func() {
				if response, err := http.Get("http://" + s.Addr().String() + "/hang"); err == nil {
					response.Body.Close()
				}
			}()
			<-hanging
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.want != nil {
				cancel()
			}
			require.ErrorIs(t, s.Shutdown(ctx), tt.want)
		})
	}
}

func TestNoServer(t *testing.T) {
	var s *Server
	assert.Nil(t, s.Addr())
	require.NoError(t, s.Shutdown(t.Context()))
}

func TestURL(t *testing.T) {
	for _, test := range []struct{ configured, address, want string }{
		{"localhost:7810", "127.0.0.1:7810", "http://localhost:7810"},
		{"localhost:0", "[::1]:4711", "http://localhost:4711"},
		{"0.0.0.0:7810", "[::]:7810", "http://localhost:7810"},
		{":7810", "[::]:7810", "http://localhost:7810"},
		{"127.0.0.1:7810", "127.0.0.1:7810", "http://127.0.0.1:7810"},
		{"10.1.2.3:7810", "10.1.2.3:7810", "http://10.1.2.3:7810"},
	} {
		cfg := confighttp.NewDefaultServerConfig()
		cfg.NetAddr.Endpoint = test.configured
		assert.Equal(t, test.want, URL(&cfg, test.address), test.configured)
	}
}
