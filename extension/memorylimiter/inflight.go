package memorylimiter

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	// share is the part of the memory that bodies may take: decoded, and copied for
	// each pipeline, they take several times as much.
	share = 8
	// small is as much of each body as always passes: it is large ones that exhaust
	// the memory, and small ones must get through beside them.
	small = 64 << 10
	// patience is how long a large body may come in while others want its room.
	patience = 10 * time.Second
)

// What a body that does not get through is refused with: 429 where OTLP is received
// over HTTP. Exporters send it again later.
var (
	errBusy = status.Error(codes.ResourceExhausted, "the requests in flight take too much memory: send it again later")
	errSlow = status.Error(codes.ResourceExhausted, "the request comes in too slowly while others wait: send it again later")
)

// inFlight bounds the bytes of all bodies in flight, decompressed. The limiter
// itself looks at memory once in a while; in between, a few kB with gzip would
// become any number of bodies of the size that one may have.
type inFlight struct {
	limit int64
	now   func() time.Time

	mu      sync.Mutex
	used    int64
	leaving int64   // what of it bodies have that had to give way
	ahead   *room   // one at a time may go beyond the limit, so that some get through
	reading []*room // of large bodies that still come in, the longest first
}

// room is what one body takes.
type room struct {
	bytes int64
	// giveWay ends the reading of the body; nil if it has been read. It must not wait.
	giveWay func()
	since   time.Time // when it became large
	gone    bool      // it had to give way
}

// newInFlight bounds by the limit of the limiter itself, in bytes, and by GOMEMLIMIT.
func newInFlight(limit uint64) *inFlight {
	goLimit := debug.SetMemoryLimit(-1)                                        // changes nothing
	return &inFlight{limit: min(int64(limit), goLimit) / share, now: time.Now} //nolint:gosec // memory is no exabytes
}

// take takes n bytes more for a body.
func (f *inFlight) take(r *room, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.gone {
		return errSlow
	}
	if n == 0 {
		return nil
	}
	if r.bytes+n > small && n > f.limit-f.used && f.ahead != r {
		if f.ahead != nil {
			f.makeRoom(n)
			return errBusy
		}
		f.ahead = r
	}
	f.used += n
	r.bytes += n
	f.line(r)
	return nil
}

// comesIn notes that more of a body is still to come, or its end.
func (f *inFlight) comesIn(r *room, giveWay func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.giveWay = giveWay
	f.line(r)
}

// line puts a body that has become large in line.
func (f *inFlight) line(r *room) {
	if r.giveWay != nil && r.since.IsZero() && r.bytes > small {
		r.since = f.now()
		f.reading = append(f.reading, r)
	}
}

// makeRoom lets bodies give way that have come in for too long, as many as it takes:
// a client that sends little at a time would keep all others out. Their room is free
// when who reads them is done, so the body that wants it comes again.
func (f *inFlight) makeRoom(n int64) {
	free, now := f.limit-f.used+f.leaving, f.now()
	for len(f.reading) > 0 && free < n && now.Sub(f.reading[0].since) >= patience {
		r := f.reading[0]
		f.reading = f.reading[1:]
		r.gone = true
		r.giveWay()
		f.leaving += r.bytes
		free += r.bytes
	}
}

// whole notes that all of a body has come in: it gives way no longer.
func (f *inFlight) whole(r *room) {
	if r == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hasCome(r)
}

func (f *inFlight) hasCome(r *room) {
	if i := slices.Index(f.reading, r); i >= 0 {
		f.reading = slices.Delete(f.reading, i, i+1)
	}
	r.giveWay = nil
}

// give gives the room of a body back.
func (f *inFlight) give(r *room) {
	if r == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hasCome(r)
	f.used -= r.bytes
	if r.gone {
		f.leaving -= r.bytes
	}
	r.bytes = 0
	if f.ahead == r || f.used <= f.limit {
		f.ahead = nil
	}
}
