package memorylimiter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter/internal/metadatatest"
)

func started(t *testing.T) *guarded {
	t.Helper()
	g, _ := measured(t)
	return g
}

// measured is started, and what it counts.
func measured(t *testing.T) (*guarded, *componenttest.Telemetry) {
	t.Helper()
	tel := componenttest.NewTelemetry()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*memorylimiterextension.Config)
	cfg.CheckInterval, cfg.MemoryLimitMiB = time.Second, 1<<20
	e, err := factory.Create(t.Context(), metadatatest.NewSettings(tel), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		assert.NoError(t, e.Shutdown(context.Background()))
		assert.NoError(t, tel.Shutdown(context.Background()))
	})
	return e.(*guarded), tel
}

// assertRefused asserts how many requests were refused over a transport, by reason.
func assertRefused(t *testing.T, tel *componenttest.Telemetry, transport string, want map[string]int64) {
	t.Helper()
	var points []metricdata.DataPoint[int64]
	for reason, n := range want {
		points = append(points, metricdata.DataPoint[int64]{
			Value: n, Attributes: attribute.NewSet(attribute.String("reason", reason), attribute.String("transport", transport)),
		})
	}
	metadatatest.AssertEqualMemoryLimiterRefusedRequests(t, tel, points, metricdatatest.IgnoreTimestamp())
}

// TestRequestsAboveTheLimit are refused before anything of them is read.
func TestRequestsAboveTheLimit(t *testing.T) {
	g, tel := measured(t)
	g.limiter = refusing{g.limiter}
	wrap, err := g.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	handler, err := wrap(t.Context(), http.NotFoundHandler())
	require.NoError(t, err)
	for _, path := range []string{"/v1/logs", "/other"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, http.NoBody))
		assert.Equal(t, http.StatusTooManyRequests, w.Code)
	}
	assertRefused(t, tel, "http", map[string]int64{forMemory: 2})
}

func TestHTTP(t *testing.T) {
	g, tel := measured(t)
	wrap, err := g.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	handler, err := wrap(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = w.Write(text)
	}))
	require.NoError(t, err)
	for _, tt := range []struct {
		media string
		text  []byte
		want  int
	}{
		{"application/x-protobuf", nested(t, 40, inMap), 200},
		{"application/x-protobuf", nested(t, 100_000, inSlice), 400},
		{"Application/X-Protobuf; charset=x", nested(t, 100_000, inSlice), 400},
		{"application/json", bytes.Repeat([]byte("[{"), 500), 200},
		{"application/json", bytes.Repeat([]byte("[{"), 501), 400},
		{"text/plain", nested(t, 100_000, inSlice), 200}, // for who reads it to judge
		{"", nil, 200},
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/logs", bytes.NewReader(tt.text))
		r.Header.Set("Content-Type", tt.media)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code, tt.media)
		if tt.want == 200 {
			assert.True(t, bytes.Equal(tt.text, w.Body.Bytes()), "what is read is what was sent")
		} else {
			assert.Equal(t, errDeep.Error()+"\n", w.Body.String())
		}
	}
	assertRefused(t, tel, "http", map[string]int64{forNested: 3})
}

func (f *inFlight) inUse() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// TestInFlight lets bodies in as far as there is room, and one more.
func TestInFlight(t *testing.T) {
	g, tel := measured(t)
	g.bodies.limit = 1000 << 10
	wrap, err := g.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	var inside func()
	handler, err := wrap(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if inside != nil {
			then := inside
			inside = nil
			then()
		}
		if err != nil {
			assert.Equal(t, codes.ResourceExhausted, status.Code(err))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write(text)
	}))
	require.NoError(t, err)
	send := func(path, media string, kib int) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(strings.Repeat("x", kib<<10)))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	const refused = http.StatusTooManyRequests
	for _, first := range []struct{ held, beside, want int }{
		{600, 400, 200}, {5000, 65, refused}, {5000, 5000, refused}, {600, 5000, 200}, {5000, 64, 200},
	} {
		inside = func() {
			assert.EqualValues(t, first.held<<10, g.bodies.inUse())
			assert.Equal(t, first.want, send("/v1/logs", "application/json", first.beside))
			assert.Equal(t, first.want, send("/other", "application/x-protobuf", first.beside))
			assert.Equal(t, 200, send("/v1/observations", "application/json", 5000), "which has a bound of its own")
		}
		assert.Equal(t, 200, send("/v1/traces", "application/json; charset=utf-8", first.held))
		assert.Zero(t, g.bodies.inUse())
	}
	assertRefused(t, tel, "http", map[string]int64{forInFlight: 4})
}

func TestTheLimitOfWhatIsInFlight(t *testing.T) {
	unknown := errors.New("unknown")
	memory := func() (uint64, error) { return 4 << 30, nil }
	inFlight := func(cfg memorylimiterextension.Config) int64 {
		limit, err := limitOf(&cfg, memory)
		require.NoError(t, err)
		return newInFlight(limit).limit
	}
	assert.EqualValues(t, 64<<20, inFlight(memorylimiterextension.Config{MemoryLimitMiB: 512}))
	assert.EqualValues(t, 64<<20, inFlight(memorylimiterextension.Config{MemoryLimitMiB: 512, MemoryLimitPercentage: 50}))
	assert.EqualValues(t, 256<<20, inFlight(memorylimiterextension.Config{MemoryLimitPercentage: 50}), "without GOMEMLIMIT too")
	_, err := limitOf(&memorylimiterextension.Config{MemoryLimitPercentage: 50}, func() (uint64, error) { return 0, unknown })
	require.ErrorIs(t, err, unknown)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	assert.EqualValues(t, 32<<20, inFlight(memorylimiterextension.Config{MemoryLimitMiB: 512}))
	assert.EqualValues(t, 32<<20, inFlight(memorylimiterextension.Config{MemoryLimitPercentage: 50}))
}

// TestSlowBodiesGiveWay: bodies that stop halfway keep others out for a while only, and
// small ones never.
func TestSlowBodiesGiveWay(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			g, tel := measured(t)
			var now atomic.Int64
			g.bodies.limit, g.bodies.now = 1000<<10, func() time.Time { return time.Unix(now.Load(), 0) }
			wrap, err := g.GetHTTPHandler(t.Context())
			require.NoError(t, err)
			handler, err := wrap(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol, r.Proto)
				if _, err := io.ReadAll(r.Body); err != nil {
					assert.Equal(t, codes.ResourceExhausted, status.Code(err))
					w.WriteHeader(http.StatusTooManyRequests)
				}
			}))
			require.NoError(t, err)
			server := httptest.NewUnstartedServer(handler)
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.StartTLS()
			t.Cleanup(server.Close)
			send := func(body io.Reader) int {
				resp, err := server.Client().Post(server.URL+"/v1/logs", "application/json", body)
				if err != nil {
					return 0
				}
				assert.NoError(t, resp.Body.Close())
				return resp.StatusCode
			}
			slow := func(kib int) (answer chan int) {
				r, w := io.Pipe()
				t.Cleanup(func() { _ = w.Close() })
				before := g.bodies.inUse()
				answer = make(chan int, 1)
				go func() { answer <- send(r) }()
				_, err := w.Write(bytes.Repeat([]byte("x"), kib<<10))
				require.NoError(t, err)
				require.Eventually(t, func() bool { return g.bodies.inUse() == before+int64(kib)<<10 }, 10*time.Second, time.Millisecond)
				return answer
			}
			first, second := slow(900), slow(300) // the second is the one that may be ahead
			assert.Equal(t, 429, send(bytes.NewReader(make([]byte, 500<<10))))
			assert.Equal(t, 200, send(bytes.NewReader(make([]byte, 64<<10))))
			now.Add(int64(patience / time.Second))
			assert.Equal(t, 429, send(bytes.NewReader(make([]byte, 500<<10))))
			assert.Equal(t, 429, <-first, "it gives way")
			require.Eventually(t, func() bool { return g.bodies.inUse() == 300<<10 }, 10*time.Second, time.Millisecond)
			assert.Equal(t, 200, send(bytes.NewReader(make([]byte, 500<<10))))
			assert.Empty(t, second, "nobody wants its room")
			assertRefused(t, tel, "http", map[string]int64{forInFlight: 2, forSlow: 1})
		})
	}
}
