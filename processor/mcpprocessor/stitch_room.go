package mcpprocessor

import (
	"context"
	"errors"
	"fmt"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// room is how much waits, or will.
type room struct {
	spans int
	bytes int64
}

func (r *room) add(spans int, bytes int64) {
	r.spans += spans
	r.bytes += bytes
}

var (
	errFull   = errors.New("stitch: as many spans wait as max_spans and max_bytes allow, and the next consumer does not take them; try again")
	errOthers = errors.New("other batches that are on their way need the room")
)

// reserve makes room for the spans of the batch that wait, if need be by letting
// the oldest traces go, in the end those of the batch itself. The error says that
// the next consumer refused what was let go.
func (s *stitcher) reserve(ctx context.Context, batch items) (room, error) {
	for i := range batch {
		if batch[i].waits {
			batch[i].size = window.Size(batch[i].span)
		}
	}
	for {
		need, ok, err := s.tryReserve(batch)
		if ok {
			return need, nil
		}
		if err == nil {
			err = s.out.flush(ctx)
		}
		if err != nil {
			// Only its text: what it says to be refused is not of this batch.
			return room{}, fmt.Errorf("%w: %s", errFull, err.Error())
		}
	}
}

// tryReserve is false without an error if there may be room when what it let go
// was taken, or what was refused before.
func (s *stitcher) tryReserve(batch items) (need room, ok bool, err error) {
	var stuck bool
	err = s.try(func(r *rules) {
		need = r.need(batch)
		switch {
		case s.fits(need):
			s.reserved.add(need.spans, need.bytes)
			ok = true
		case !s.out.waiting(): // or that has to go first
			stuck = !s.evict(need)
		}
	})
	if stuck {
		err = errors.Join(err, errOthers)
	}
	return need, ok, err
}

// need is the room for what still waits of the batch.
func (r *rules) need(batch items) (need room) {
	for i := range batch {
		if it := &batch[i]; it.waits && !r.moveOn(it) {
			need.add(1, it.size)
		}
	}
	return need
}

// fits reports whether there is room.
func (s *stitcher) fits(need room) bool {
	need.add(s.out.held())
	need.add(s.rules.win.Spans()+s.reserved.spans, s.rules.win.Bytes()+s.reserved.bytes)
	return need.spans <= s.cfg.MaxSpans && need.bytes <= s.cfg.MaxBytes
}

// fewTraces is how many traces of which nothing waits yet are let go at once.
const fewTraces = 64

// evict lets the oldest traces go until there is room, or until the batch needs
// less. It is false if nothing waits.
func (s *stitcher) evict(need room) bool {
	for i := 0; i < fewTraces && !s.fits(need); {
		before := s.rules.win.Spans()
		if !s.rules.evict() {
			return i > 0 || !s.rules.leaving.Empty()
		}
		if s.rules.win.Spans() == before {
			i++
		}
	}
	return true
}

// bound lets the oldest traces go of which there are more than can wait: batches
// that were refused leave traces without spans behind.
func (s *stitcher) bound() {
	for more := true; more && s.rules.win.Len() > 2*s.cfg.MaxSpans; {
		more = s.rules.evict()
	}
}

func (s *stitcher) giveBack(r room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved.add(-r.spans, -r.bytes)
}
