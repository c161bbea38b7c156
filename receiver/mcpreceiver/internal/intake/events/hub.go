package events

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// gathering is the time for which a hub waits for more subscriptions to join, so that the
// stream is opened once for all of them.
const gathering = 50 * time.Millisecond

// hub keeps one stream for all subscriptions of a server (first draft). It is safe for
// concurrent use.
type hub struct {
	src     *source
	mu      sync.Mutex
	members map[string]member // by the subscription's id
	reopen  context.CancelFunc
	poke    chan struct{} // holds one token when the members changed
}

type member struct {
	s    *subscription
	left chan error // takes one: why it is not carried any more
}

func newHub(src *source) *hub {
	return &hub{src: src, members: map[string]member{}, poke: make(chan struct{}, 1)}
}

// join has the stream carry the subscription until that fails or ctx is done.
func (h *hub) join(ctx context.Context, s *subscription) error {
	m := member{s, make(chan error, 1)}
	h.set(s.position.clientID(), &m)
	defer h.set(s.position.clientID(), nil)
	select {
	case err := <-m.left:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// set adds a member, or with nil takes it away, and opens the stream again.
func (h *hub) set(id string, m *member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, was := h.members[id]
	if m != nil {
		h.members[id] = *m
	} else {
		delete(h.members, id)
	}
	if m == nil && !was {
		return
	}
	if h.reopen != nil {
		h.reopen()
	}
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

// leave tells a subscription that it is not carried any more.
func (h *hub) leave(s *subscription, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := s.position.clientID()
	if m, ok := h.members[id]; ok {
		m.left <- err
		delete(h.members, id)
	}
}

// run keeps the stream open while there are subscriptions.
func (h *hub) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.poke:
		}
		if !retry.Sleep(ctx, gathering) {
			return
		}
		h.open(ctx)
	}
}

// open carries the members of now until they change, or the stream fails, whose
// error all of them get.
func (h *hub) open(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.mu.Lock()
	h.reopen = cancel
	carried := maps.Clone(h.members)
	var all []any
	h.mu.Unlock()
	for _, m := range carried {
		all = append(all, m.s.request())
	}
	if len(all) == 0 {
		return
	}
	err := h.src.stream(ctx, map[string]any{"subscriptions": all}, func(id string) *subscription { return carried[id].s })
	if ctx.Err() != nil { // the members changed
		return
	}
	for _, m := range carried {
		h.leave(m.s, err)
	}
}
