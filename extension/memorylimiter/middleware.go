package memorylimiter

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"time"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/otelcol-mcp/otelcol-mcp/extension/memorylimiter/internal/metadata"
)

// guarded looks at what the limiter lets in, while it is read.
type guarded struct {
	limiter
	heap      heap
	bodies    *inFlight
	telemetry *metadata.TelemetryBuilder
}

// MustRefuse reports whether memory has reached the soft limit: when the limiter last
// looked, or since.
func (g *guarded) MustRefuse() bool { return g.limiter.MustRefuse() || g.heap.full() }

// Shutdown implements component.Component.
func (g *guarded) Shutdown(ctx context.Context) error {
	g.telemetry.Shutdown()
	return g.limiter.Shutdown(ctx)
}

// GetHTTPHandler implements extensionmiddleware.HTTPServer. The server runs it
// after decompression, so that it sees what decoders see. The limiter's own handler,
// which refuses without a word to anybody, is not needed then.
func (g *guarded) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	refused := refusals{g.telemetry, "http"}
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if g.MustRefuse() {
				refused.add(forMemory)
				http.Error(w, http.StatusText(http.StatusTooManyRequests), http.StatusTooManyRequests)
				return
			}
			if look := looks(r); look != nil {
				b := &body{ReadCloser: r.Body, look: look, bodies: g.bodies, refuse: refused.add, room: &room{giveWay: func() {
					refused.add(forSlow)
					_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // long ago: reading fails at once
				}}}
				defer g.bodies.give(b.room)
				r.Body = b
			}
			next.ServeHTTP(w, r)
		}), nil
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
	refuse func(reason string) // counts it
	failed error               // what it was refused with
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.ReadCloser.Read(p)
	if full := b.bodies.take(b.room, int64(n)); full != nil {
		if errors.Is(full, errBusy) { // one that is slow was counted when it had to give way
			b.refuse(forInFlight)
		}
		b.failed = full
		return 0, full
	}
	if deep := b.look(p[:n]); deep != nil {
		b.refuse(forNested)
		b.failed = deep
		return 0, deep
	}
	if err != nil {
		b.bodies.whole(b.room)
	}
	return n, err
}
