package memorylimiter

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// guarded looks at what the limiter lets in, while it is read.
type guarded struct {
	limiter
	bodies *inFlight
}

// GetHTTPHandler implements extensionmiddleware.HTTPServer. The server runs it
// after decompression, so that it sees what decoders see.
func (g *guarded) GetHTTPHandler(ctx context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	limit, err := g.limiter.GetHTTPHandler(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, next http.Handler) (http.Handler, error) {
		return limit(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if look := looks(r); look != nil {
				b := &body{ReadCloser: r.Body, look: look, bodies: g.bodies}
				defer g.bodies.give(b)
				r.Body = b
			}
			next.ServeHTTP(w, r)
		}))
	}, nil
}

// looks is how a request that has OTLP is looked at, else nil. Other servers that
// want JSON have bounds of their own.
func looks(r *http.Request) func([]byte) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "application/x-protobuf":
		return new(nesting).add
	case "application/json":
		switch path.Base(r.URL.Path) {
		case "traces", "logs", "metrics", "profiles":
			return new(brackets).add
		}
	}
	return nil
}

// body fails to be read when it is nested too deeply, or when there is no room
// for it.
type body struct {
	io.ReadCloser
	look   func([]byte) error
	bodies *inFlight
	held   int64 // of what is in flight
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.bodies.take(b, int64(n)); full != nil {
		return 0, full
	}
	if deep := b.look(p[:n]); deep != nil {
		return 0, deep
	}
	return n, err
}

// GetGRPCServerOptions implements extensionmiddleware.GRPCServer.
func (g *guarded) GetGRPCServerOptions(ctx context.Context) ([]grpc.ServerOption, error) {
	options, err := g.limiter.GetGRPCServerOptions(ctx)
	if err != nil {
		return nil, err
	}
	return append(options, grpc.ForceServerCodecV2(codec{encoding.GetCodecV2(proto.Name)})), nil
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
