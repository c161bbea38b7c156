package memorylimiter

import (
	"runtime/debug"
	"sync/atomic"

	"go.opentelemetry.io/collector/extension/memorylimiterextension"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// share is the part of the memory that bodies may take: decoded, and copied for
// each pipeline, they take several times as much.
const share = 8

// errBusy is 429 where OTLP is received: exporters send it again later.
var errBusy = status.Error(codes.ResourceExhausted, "the requests in flight take too much memory: send it again later")

// inFlight bounds the bytes of all bodies in flight, decompressed. The limiter
// itself looks at memory once in a while; in between, a few kB with gzip would
// become any number of bodies of the size that one may have.
type inFlight struct {
	limit int64
	used  atomic.Int64
	// One body at a time may go beyond the limit, so that some get through.
	ahead atomic.Pointer[body]
}

func newInFlight(cfg *memorylimiterextension.Config) *inFlight {
	limit := debug.SetMemoryLimit(-1) // changes nothing
	if cfg.MemoryLimitMiB > 0 {
		limit = min(limit, int64(cfg.MemoryLimitMiB)<<20)
	}
	return &inFlight{limit: limit / share}
}

// take takes n bytes more for a body.
func (f *inFlight) take(b *body, n int64) error {
	for {
		used := f.used.Load()
		if n > f.limit-used && f.ahead.Load() != b && !f.ahead.CompareAndSwap(nil, b) {
			return errBusy
		}
		if f.used.CompareAndSwap(used, used+n) {
			b.held += n
			return nil
		}
	}
}

// give gives the room of a body back.
func (f *inFlight) give(b *body) {
	f.used.Add(-b.held)
	b.held = 0
	f.ahead.CompareAndSwap(b, nil)
}
