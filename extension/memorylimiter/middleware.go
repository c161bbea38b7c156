package memorylimiter

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"time"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"
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
				b := &body{ReadCloser: r.Body, look: look, bodies: g.bodies, room: &room{giveWay: func() {
					_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // long ago: reading fails at once
				}}}
				defer g.bodies.give(b.room)
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
	room   *room
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.bodies.take(b.room, int64(n)); full != nil {
		return 0, full
	}
	if deep := b.look(p[:n]); deep != nil {
		return 0, deep
	}
	if err != nil {
		b.bodies.whole(b.room)
	}
	return n, err
}
