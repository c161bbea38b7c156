package httpserver

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/test/bufconn"
)

func TestLimitDepth(t *testing.T) {
	handler := LimitDepth(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = w.Write(text)
	}))
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
		{"text/plain", nested(t, 100_000, inSlice), 200}, // which no OTLP server decodes
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

// sent is a message as it is.
type sent struct{ encoding.CodecV2 }

func (sent) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (sent) Unmarshal(mem.BufferSlice, any) error { return nil }

func TestLimitDepthGRPC(t *testing.T) {
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(LimitDepthGRPC())
	plogotlp.RegisterGRPCServer(server, &plogotlp.UnimplementedGRPCServer{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	export := func(text []byte) error {
		return conn.Invoke(t.Context(), "/opentelemetry.proto.collector.logs.v1.LogsService/Export", text, new([]byte),
			grpc.ForceCodecV2(sent{encoding.GetCodecV2(proto.Name)}))
	}
	require.ErrorContains(t, export(nested(t, 100_000, inSlice)), errDeep.Error())
	require.NotContains(t, export(nested(t, 40, inMap)).Error(), errDeep.Error(), "it is decoded")
}
