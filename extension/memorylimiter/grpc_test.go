package memorylimiter

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// sink takes logs over gRPC. It keeps those of more than one record until it is told.
type sink struct {
	plogotlp.UnimplementedGRPCServer
	records atomic.Int64
	goOn    chan struct{}
}

func (s *sink) Export(ctx context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	n := r.Logs().LogRecordCount()
	s.records.Add(int64(n))
	if n > 1 {
		select {
		case <-s.goOn:
		case <-ctx.Done():
		}
	}
	return plogotlp.NewExportResponse(), nil
}

// serving is a server with what the extension sets, behind other options.
func serving(t *testing.T, g *guarded, before ...grpc.ServerOption) (*grpc.ClientConn, *sink) {
	t.Helper()
	taken := &sink{goOn: make(chan struct{})}
	return connected(t, g, func(server *grpc.Server) { plogotlp.RegisterGRPCServer(server, taken) }, before...), taken
}

func connected(t *testing.T, g *guarded, register func(*grpc.Server), before ...grpc.ServerOption) *grpc.ClientConn {
	t.Helper()
	options, err := g.GetGRPCServerOptions(t.Context())
	require.NoError(t, err)
	server := grpc.NewServer(append(before, options...)...)
	register(server)
	pipe := bufconn.Listen(1 << 20)
	go func() { _ = server.Serve(pipe) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:x", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return conn
}

func TestGRPC(t *testing.T) {
	g, tel := measured(t)
	conn, taken := serving(t, g)
	export := func(levels int) error {
		request := plogotlp.NewExportRequest()
		require.NoError(t, request.UnmarshalProto(nested(t, levels, inMap)))
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), request)
		return err
	}
	require.NoError(t, export(40))
	require.ErrorContains(t, export(5000), errDeep.Error())
	require.NoError(t, export(40))
	assert.EqualValues(t, 2, taken.records.Load())
	assertRefused(t, tel, "grpc", map[string]int64{forNested: 1})
}

// logsOf are so many records of together so many KiB.
func logsOf(records, kib int) plogotlp.ExportRequest {
	logs := plog.NewLogs()
	to := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for range records {
		to.AppendEmpty().Body().SetStr(strings.Repeat("x", kib<<10/records-100))
	}
	return plogotlp.NewExportRequestFromLogs(logs)
}

// slow is how many large bodies still come in.
func (f *inFlight) slow() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.reading)
}

func (f *inFlight) isFree() bool { return f.inUse() == 0 }

// TestCallsInFlight lets messages in as far as there is room, and one more. What is
// refused is not taken by anybody, and exporters send it again.
func TestCallsInFlight(t *testing.T) {
	g, tel := measured(t)
	g.bodies.limit = 1000 << 10
	conn, taken := serving(t, g)
	send := func(records, kib int) codes.Code {
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(records, kib), grpc.UseCompressor(gzip.Name))
		return status.Code(err)
	}
	for _, first := range []struct {
		held, beside int
		want         codes.Code
	}{{600, 300, codes.OK}, {1500, 65, codes.Unavailable}, {1500, 1500, codes.Unavailable}, {600, 1500, codes.OK}, {1500, 64, codes.OK}} {
		answer, before := make(chan codes.Code), taken.records.Load()
		go func() { answer <- send(2, first.held) }()
		require.Eventually(t, func() bool { return taken.records.Load() == before+2 }, 10*time.Second, time.Millisecond)
		assert.InDelta(t, first.held<<10, g.bodies.inUse(), 1000)
		assert.Equal(t, first.want, send(1, first.beside))
		if first.want == codes.OK {
			before++
		}
		assert.Equal(t, before+2, taken.records.Load())
		taken.goOn <- struct{}{}
		assert.Equal(t, codes.OK, <-answer)
		require.Eventually(t, g.bodies.isFree, 10*time.Second, time.Millisecond)
	}
	assertRefused(t, tel, "grpc", map[string]int64{forInFlight: 2})
}

// TestRoomOfRefusedCalls: what others refuse, or no server takes, keeps no room.
func TestRoomOfRefusedCalls(t *testing.T) {
	g := started(t)
	refuse := grpc.ChainUnaryInterceptor(func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.Unauthenticated, "no")
	})
	conn, _ := serving(t, g, refuse)
	for range 3 {
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(1, 100))
		assert.Equal(t, codes.Unauthenticated, status.Code(err))
	}
	stream := rawCall(t, conn)
	for range 2 { // where there may be one
		require.NoError(t, stream.SendMsg(rawLogs(t, 100)))
	}
	require.NoError(t, stream.CloseSend())
	assert.Error(t, stream.RecvMsg(new([]byte)))
	require.Eventually(t, g.bodies.isFree, 10*time.Second, time.Millisecond)
}

// TestSlowCallsGiveWay: a call whose end does not come keeps others out for a while only.
func TestSlowCallsGiveWay(t *testing.T) {
	g, tel := measured(t)
	var now atomic.Int64
	g.bodies.limit, g.bodies.now = 1000<<10, func() time.Time { return time.Unix(now.Load(), 0) }
	conn, _ := serving(t, g)
	send := func() codes.Code {
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(1, 500))
		return status.Code(err)
	}
	var slow []grpc.ClientStream
	for i, kib := range []int{900, 300} {
		slow = append(slow, rawCall(t, conn))
		require.NoError(t, slow[i].SendMsg(rawLogs(t, kib)))
		require.Eventually(t, func() bool { return g.bodies.slow() == i+1 }, 10*time.Second, time.Millisecond)
	}
	assert.Equal(t, codes.Unavailable, send())
	now.Add(int64(patience / time.Second))
	assert.Equal(t, codes.Unavailable, send())
	assert.Equal(t, codes.Canceled, status.Code(slow[0].RecvMsg(new([]byte))), "it gives way, and is sent again")
	require.Eventually(t, func() bool { return g.bodies.inUse() < 400<<10 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, codes.OK, send())
	require.NoError(t, slow[1].CloseSend())
	assert.NoError(t, slow[1].RecvMsg(new([]byte)), "nobody wants its room")
	assertRefused(t, tel, "grpc", map[string]int64{forInFlight: 2, forSlow: 1})
}

// TestMessagesInAPool: when a call has been handled its message may be another's, before
// the call ends.
func TestMessagesInAPool(t *testing.T) {
	g := started(t)
	c := &calls{codec: codec{encoding.GetCodecV2(proto.Name)}, mustRefuse: g.MustRefuse, bodies: g.bodies}
	message := new(wrapperspb.BytesValue)
	text, err := c.Marshal(wrapperspb.Bytes(make([]byte, 100)))
	require.NoError(t, err)
	first, second := c.TagRPC(t.Context(), nil), c.TagRPC(t.Context(), nil)
	require.NoError(t, c.Unmarshal(text, message))
	c.HandleRPC(first, &stats.InPayload{Payload: message})
	assert.True(t, c.whole(first))
	require.NoError(t, c.Unmarshal(text, message))
	c.HandleRPC(first, &stats.End{})
	c.HandleRPC(second, &stats.InPayload{Payload: message})
	assert.True(t, c.whole(second), "there is room")
	assert.EqualValues(t, text.Len(), g.bodies.inUse())
	c.HandleRPC(second, &stats.End{})
	assert.Zero(t, g.bodies.inUse())
}

// TestStreamsThatWait: a stream has no room while it waits for its next message, nor
// when its handler is done.
func TestStreamsThatWait(t *testing.T) {
	g := started(t)
	g.bodies.limit = 1000 << 10
	streams, goOn := make(chan grpc.ServerStream), make(chan error)
	conn := connected(t, g, func(server *grpc.Server) {
		server.RegisterService(&grpc.ServiceDesc{ServiceName: "x", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{{
			StreamName: "y", ClientStreams: true, ServerStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
				streams <- s
				return <-goOn
			},
		}}}, struct{}{})
	})
	for range 3 {
		client, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/x/y")
		require.NoError(t, err)
		server, message := <-streams, new(wrapperspb.BytesValue)
		for range 2 {
			require.NoError(t, client.SendMsg(wrapperspb.Bytes(make([]byte, 450<<10))))
			require.NoError(t, server.RecvMsg(message))
			assert.InDelta(t, 450<<10, g.bodies.inUse(), 1000)
		}
		next := make(chan error)
		go func() { next <- server.RecvMsg(message) }()
		require.Eventually(t, g.bodies.isFree, 10*time.Second, time.Millisecond)
		goOn <- nil
		assert.Error(t, <-next)
	}
}

// TestMessagesAfterTheEnd take no room that nobody gives back.
func TestMessagesAfterTheEnd(t *testing.T) {
	g := started(t)
	c := &calls{codec: codec{encoding.GetCodecV2(proto.Name)}, mustRefuse: g.MustRefuse, bodies: g.bodies}
	call, message := c.TagRPC(t.Context(), nil), new(wrapperspb.BytesValue)
	text, err := c.Marshal(wrapperspb.Bytes(make([]byte, 100)))
	require.NoError(t, err)
	require.NoError(t, c.Unmarshal(text, message))
	c.HandleRPC(call, &stats.End{})
	c.HandleRPC(call, &stats.InPayload{Payload: message})
	assert.False(t, c.whole(call))
	assert.Zero(t, g.bodies.inUse())
}

func rawCall(t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true},
		"/opentelemetry.proto.collector.logs.v1.LogsService/Export", grpc.ForceCodec(raw{}))
	require.NoError(t, err)
	return stream
}

func rawLogs(t *testing.T, kib int) []byte {
	t.Helper()
	text, err := logsOf(1, kib).MarshalProto()
	require.NoError(t, err)
	return text
}

// raw sends bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (raw) Unmarshal(text []byte, v any) error { *v.(*[]byte) = text; return nil }
func (raw) Name() string                       { return "proto" }

// TestCallsOverHTTP: a server of gRPC may also be a handler of an HTTP server.
func TestCallsOverHTTP(t *testing.T) {
	g := started(t)
	g.bodies.limit = 100 << 10
	options, err := g.GetGRPCServerOptions(t.Context())
	require.NoError(t, err)
	server, taken := grpc.NewServer(options...), &sink{goOn: make(chan struct{})}
	plogotlp.RegisterGRPCServer(server, taken)
	web := httptest.NewUnstartedServer(server)
	web.EnableHTTP2 = true
	web.StartTLS()
	t.Cleanup(web.Close)
	conn, err := grpc.NewClient(web.Listener.Addr().String(), grpc.WithTransportCredentials(
		credentials.NewTLS(web.Client().Transport.(*http.Transport).TLSClientConfig)), grpc.WithAuthority("example.com"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	answer := make(chan error)
	send := func(records int) error {
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(records, 200))
		return err
	}
	go func() { answer <- send(2) }()
	require.Eventually(t, func() bool { return taken.records.Load() == 2 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, codes.Unavailable, status.Code(send(1)))
	taken.goOn <- struct{}{}
	assert.NoError(t, <-answer)
	require.Eventually(t, g.bodies.isFree, 10*time.Second, time.Millisecond)
}

// refusing is no limiter, but says what one says whose memory is used up.
type refusing struct{ limiter }

func (refusing) MustRefuse() bool { return true }

// TestCallsAboveTheLimit are refused before anything of them is decoded.
func TestCallsAboveTheLimit(t *testing.T) {
	g, tel := measured(t)
	g.limiter = refusing{g.limiter}
	conn, taken := serving(t, g)
	_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(1, 1))
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.Zero(t, taken.records.Load())
	assertRefused(t, tel, "grpc", map[string]int64{forMemory: 1})
}

// TestTurns: large messages are decompressed a few at a time, small ones always.
func TestTurns(t *testing.T) {
	packed := func(size int) io.Reader {
		var b bytes.Buffer
		w, err := encoding.GetCompressor(gzip.Name).Compress(&b)
		require.NoError(t, err)
		_, err = w.Write(make([]byte, size))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return &b
	}
	for _, name := range []string{"gzip", "snappy", "zstd"} {
		assert.IsType(t, inTurn{}, encoding.GetCompressor(name), name)
	}
	open := func(size int) io.ReadCloser {
		r, err := encoding.GetCompressor(gzip.Name).Decompress(packed(size))
		require.NoError(t, err)
		return r.(io.ReadCloser)
	}
	var large []io.ReadCloser
	for range cap(turns) {
		r := open(1 << 20)
		_, err := io.CopyN(io.Discard, r, small+1)
		require.NoError(t, err)
		large = append(large, r)
	}
	n, err := io.Copy(io.Discard, open(small-1))
	assert.NoError(t, err)
	assert.EqualValues(t, small-1, n)
	last := open(1 << 20)
	done := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, last)
		done <- n
	}()
	assert.Len(t, turns, cap(turns))
	require.NoError(t, large[0].Close()) // without the rest, as of a message that is too large
	assert.EqualValues(t, 1<<20, <-done)
	for _, r := range append(large[1:], last) {
		require.NoError(t, r.Close())
	}
	assert.Empty(t, turns)
}
