package memorylimiter

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// errUnavailable is what exporters send again over gRPC: they drop what is refused
// as ResourceExhausted unless it says when to come again.
var errUnavailable = status.Error(codes.Unavailable, "too much memory is in use: send it again later")

// GetGRPCServerOptions implements extensionmiddleware.GRPCServer. Nothing is read of
// a call while the limiter refuses. The interceptors of the limiter itself, which come
// when a message has been decoded, are not needed then.
func (g *guarded) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	c := &calls{
		codec: codec{encoding.GetCodecV2(proto.Name)}, mustRefuse: g.MustRefuse, bodies: g.bodies, refused: refusals{g.telemetry, "grpc"},
	}
	return []grpc.ServerOption{
		grpc.InTapHandle(c.begin), grpc.ForceServerCodecV2(c), grpc.StatsHandler(c),
		grpc.ChainUnaryInterceptor(c.unary), grpc.ChainStreamInterceptor(c.stream),
	}, nil
}

// calls bounds the messages of calls. A server decodes a message where nothing tells
// whose it is, and before any interceptor runs: so a message that finds no room is
// passed over, and the interceptor refuses the call.
type calls struct {
	codec
	mustRefuse func() bool
	bodies     *inFlight
	refused    refusals
	rooms      sync.Map // *room by decoded message, until its call is known; nil if there was none
}

// call is what is known of one.
type call struct {
	giveWay func()      // ends it, because it comes in too slowly
	ended   atomic.Bool // a handler may go on reading its stream, in vain

	mu      sync.Mutex
	message any // until it is handled; then it may be another call's
	room    *room
	refused bool
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// begin is a tap.ServerInHandle: it sees a call before any of it is read.
func (c *calls) begin(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if c.mustRefuse() {
		c.refused.add(forMemory)
		return ctx, errUnavailable
	}
	ctx, cancel := context.WithCancel(ctx) // the server ends its parent with the call
	return context.WithValue(ctx, callKey{}, &call{giveWay: func() {
		c.refused.add(forSlow)
		cancel()
	}}), nil
}

// Unmarshal implements encoding.CodecV2.
func (c *calls) Unmarshal(data mem.BufferSlice, v any) error {
	r := &room{}
	if c.bodies.take(r, int64(data.Len())) != nil {
		c.refused.add(forInFlight)
		c.rooms.Store(v, (*room)(nil))
		return nil
	}
	if err := c.codec.Unmarshal(data, v); err != nil {
		c.bodies.give(r)
		if errors.Is(err, errDeep) {
			c.refused.add(forNested)
		}
		return err
	}
	c.rooms.Store(v, r)
	return nil
}

// TagRPC implements stats.Handler. Not every transport lets a call begin as [calls.begin]
// sees it.
func (c *calls) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	if callOf(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, &call{giveWay: func() {}})
}

// HandleRPC implements stats.Handler. A message is told of as soon as it is decoded,
// and the end of each call whatever becomes of it.
func (c *calls) HandleRPC(ctx context.Context, s stats.RPCStats) {
	of := callOf(ctx)
	if of == nil {
		return
	}
	switch s := s.(type) {
	case *stats.InPayload:
		c.take(of, s.Payload)
	case *stats.End:
		of.ended.Store(true)
		c.take(of, nil)
	}
}

// take gives a call the room of its next message, nil while it waits for one, in place
// of that of the one before.
func (c *calls) take(of *call, message any) {
	of.mu.Lock()
	defer of.mu.Unlock()
	c.bodies.give(of.room)
	if of.message != message {
		c.bodies.give(c.claim(of.message)) // of another message where there may be one only
	}
	of.message, of.room, of.refused = message, nil, false
	if message == nil {
		return
	}
	room := c.claim(message)
	if room == nil || of.ended.Load() {
		c.bodies.give(room)
		of.refused = true
		return
	}
	of.room = room
	c.bodies.comesIn(room, of.giveWay) // until the client says that there is no more
}

// claim is the room of a message, nil if there was none.
func (c *calls) claim(message any) *room {
	r, _ := c.rooms.LoadAndDelete(message)
	found, _ := r.(*room)
	return found
}

// whole reports whether the message that has come may pass. It gives way no longer.
func (c *calls) whole(ctx context.Context) bool {
	of := callOf(ctx)
	if of == nil {
		return true
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	c.bodies.whole(of.room)
	of.message = nil
	return !of.refused
}

// TagConn implements stats.Handler.
func (c *calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (c *calls) HandleConn(context.Context, stats.ConnStats) {}

func (c *calls) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if !c.whole(ctx) {
		return nil, errUnavailable
	}
	return handler(ctx, req)
}

func (c *calls) stream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return handler(srv, messages{ss, c})
}

// messages are those of a stream, of which some may find no room.
type messages struct {
	grpc.ServerStream
	calls *calls
}

// RecvMsg implements grpc.ServerStream. The message before has been handled.
func (m messages) RecvMsg(v any) error {
	if of := callOf(m.Context()); of != nil {
		m.calls.take(of, nil)
	}
	if err := m.ServerStream.RecvMsg(v); err != nil {
		return err
	}
	if !m.calls.whole(m.Context()) {
		return errUnavailable
	}
	return nil
}

// codec is what messages are decoded with, after a look at them.
type codec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	var n nesting
	for _, some := range data {
		if err := n.add(some.ReadOnlyData()); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}
