package memorylimiter

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

func started(t *testing.T) *guarded {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*memorylimiterextension.Config)
	cfg.CheckInterval, cfg.MemoryLimitMiB = time.Second, 1<<20
	e, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.Background())) })
	return e.(*guarded)
}

func TestHTTP(t *testing.T) {
	wrap, err := started(t).GetHTTPHandler(t.Context())
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
}

// TestInFlight lets bodies in as far as there is room, and one more.
func TestInFlight(t *testing.T) {
	g := started(t)
	g.bodies.limit = 1000
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
	send := func(path, media string, bytes int) int {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(strings.Repeat("x", bytes)))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	const refused = http.StatusTooManyRequests
	for _, first := range []struct{ held, beside, want int }{{600, 400, 200}, {5000, 1, refused}, {5000, 5000, refused}, {600, 5000, 200}} {
		inside = func() {
			assert.EqualValues(t, first.held, g.bodies.used.Load())
			assert.Equal(t, first.want, send("/v1/logs", "application/json", first.beside))
			assert.Equal(t, first.want, send("/other", "application/x-protobuf", first.beside))
			assert.Equal(t, 200, send("/v1/observations", "application/json", 5000), "which has a bound of its own")
		}
		assert.Equal(t, 200, send("/v1/traces", "application/json; charset=utf-8", first.held))
		assert.Zero(t, g.bodies.used.Load())
	}
}

func TestTheLimitOfWhatIsInFlight(t *testing.T) {
	assert.EqualValues(t, 64<<20, newInFlight(&memorylimiterextension.Config{MemoryLimitMiB: 512}).limit)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	assert.EqualValues(t, 32<<20, newInFlight(&memorylimiterextension.Config{MemoryLimitMiB: 512}).limit)
	assert.EqualValues(t, 32<<20, newInFlight(&memorylimiterextension.Config{MemoryLimitPercentage: 50}).limit)
}

// sink takes logs over gRPC.
type sink struct {
	plogotlp.UnimplementedGRPCServer
	records int
}

func (s *sink) Export(_ context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.records += r.Logs().LogRecordCount()
	return plogotlp.NewExportResponse(), nil
}

func TestGRPC(t *testing.T) {
	options, err := started(t).GetGRPCServerOptions(t.Context())
	require.NoError(t, err)
	server, taken := grpc.NewServer(options...), &sink{}
	plogotlp.RegisterGRPCServer(server, taken)
	pipe := bufconn.Listen(1 << 20)
	go func() { _ = server.Serve(pipe) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:x", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	export := func(levels int) error {
		request := plogotlp.NewExportRequest()
		require.NoError(t, request.UnmarshalProto(nested(t, levels, inMap)))
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), request)
		return err
	}
	require.NoError(t, export(40))
	require.ErrorContains(t, export(5000), errDeep.Error())
	require.NoError(t, export(40))
	assert.Equal(t, 2, taken.records)
}
