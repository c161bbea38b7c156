package memorylimiter

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
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
		{"application/json", nested(t, 100_000, inSlice), 200}, // for who reads it to judge
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
