package events

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// Source subscribes to the events of one server.
type Source struct{ source }

type source struct {
	Settings
	recorder *recorder
	peer     *peer
	hub      *hub
	all      []*subscription
	relist   chan struct{} // holds one token when the list has changed
	lost     chan struct{} // holds one token when the session is to be opened again

	mu          sync.Mutex
	generation  Generation
	sure        bool // an answer showed it
	tried       bool // both that could be
	listChanged bool
	types       map[string][]string // the ways that each type subscribed to is offered in, by name
	fresh       chan struct{}       // closed when types has changed
	failing     map[*subscription]bool
}

// New makes a source that asks for nothing before Run.
func New(s Settings) *Source {
	src := &Source{source{
		Settings: s, recorder: &recorder{s.Runner, s.Seen, Label},
		relist: make(chan struct{}, 1), lost: make(chan struct{}, 1), fresh: make(chan struct{}),
		failing: map[*subscription]bool{},
	}}
	src.hub = newHub(&src.source)
	src.peer = newPeer(s.HTTP, s.Endpoint, s.Version, src.heardAside)
	for _, spec := range s.Subscriptions {
		src.all = append(src.all, newSubscription(&src.source, spec))
	}
	return src
}

// Run keeps the subscriptions up until ctx is done.
func (src *Source) Run(ctx context.Context) {
	src.load(ctx)
	reported := false
	for delays := retry.New(firstRetry, lastRetry); ctx.Err() == nil; {
		err := src.open(ctx)
		switch {
		case err == nil:
			src.Status(nil)
			reported = false
			began := time.Now()
			src.serve(ctx)
			if time.Since(began) > lastRetry {
				delays.Reset()
			}
		case !reported && ctx.Err() == nil:
			src.Status(err)
			reported = true
		}
		// A server may forget each session at once: it is not asked without end.
		delays.Wait(ctx, err)
	}
}

// load reads where the subscriptions were. None begins before that is known: what
// occurred meanwhile would be lost.
func (src *source) load(ctx context.Context) {
	for _, s := range src.all {
		reported := false
		_ = retry.Do(ctx, retry.New(firstRetry, lastRetry), 0, func() error {
			err := s.load(ctx)
			if err != nil && !reported {
				reported = true
				src.Status(errors.Join(errors.New("cannot read stored cursors"), err))
			}
			return err
		}) // only ends with ctx, which the caller sees
	}
}

var errNoEvents = retry.After(errors.New("the server offers no events"), refusedRetry)

// open greets the server and reads which events it has.
func (src *source) open(ctx context.Context) error {
	capabilities, err := src.peer.Connect(ctx, src.Generation)
	if err != nil {
		return err
	}
	g, listChanged, offered := declaredEvents(capabilities)
	if !offered {
		src.Logger.Warn("Server offers no events; retrying later", zap.String("endpoint", httpclient.RedactURL(src.Endpoint)))
		return errNoEvents
	}
	src.begin(g, listChanged)
	return src.list(ctx)
}

func (src *source) begin(g Generation, listChanged bool) {
	src.mu.Lock()
	defer src.mu.Unlock()
	src.listChanged, src.tried = listChanged, false
	src.generation, src.sure = g, g != Auto
	if src.Generation != Auto {
		src.generation, src.sure = src.Generation, true
	}
	if src.generation == Auto {
		src.generation = Draft2
	}
}

// serve runs the subscriptions until ctx is done or the session is lost.
func (src *source) serve(ctx context.Context) {
	select {
	case <-src.lost: // that was about the session before
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { src.hub.run(ctx) })
	running.Go(func() { src.followList(ctx) })
	running.Go(func() { src.listen(ctx) })
	for _, s := range src.all {
		running.Go(func() { s.run(ctx) })
	}
	select {
	case <-src.lost:
	case <-ctx.Done():
	}
}

// reconnect asks for a new session.
func (src *source) reconnect() { token(src.lost) }

func token(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// speaks is the generation in use.
func (src *source) speaks() Generation {
	src.mu.Lock()
	defer src.mu.Unlock()
	return src.generation
}

// otherGeneration tries the other draft, which only trying shows, after a
// request in the generation was not understood. It is false if both were tried.
func (src *source) otherGeneration(was Generation) bool {
	src.mu.Lock()
	defer src.mu.Unlock()
	switch {
	case src.generation != was:
		return true
	case src.sure:
		return false
	case src.tried:
		src.generation = Draft2
		return false
	}
	src.generation, src.tried = Draft1, true
	return true
}

// alternate tries the other draft after an internal error: servers of the first
// draft answer so to requests of the second, and it may as well be one that
// passes. It is false, with the second draft to be tried later, if both failed.
func (src *source) alternate(was Generation) bool {
	src.mu.Lock()
	defer src.mu.Unlock()
	switch {
	case src.sure:
		return false
	case src.generation != was:
		return true
	case src.tried:
		src.generation, src.tried = Draft2, false
		return false
	}
	src.generation, src.tried = Draft1, true
	return true
}

// heardOf learns the generation from an answer: batches are the first draft's, and resultType
// came with SEP-3415.
func (src *source) heardOf(result members, batched bool) {
	src.mu.Lock()
	defer src.mu.Unlock()
	if src.sure {
		return
	}
	switch {
	case batched:
		src.generation = Draft1
	case result["resultType"] != nil:
		src.generation = SEP3415
	}
	src.sure = true
}

// reportError reports the first subscription that fails; clearError, that none
// fails any more.
func (src *source) reportError(s *subscription, err error) {
	src.mu.Lock()
	src.failing[s] = true
	first := len(src.failing) == 1
	src.mu.Unlock()
	if first {
		src.Status(err)
	}
}

func (src *source) clearError(s *subscription) {
	src.mu.Lock()
	last := src.failing[s] && len(src.failing) == 1
	delete(src.failing, s)
	src.mu.Unlock()
	if last {
		src.Status(nil)
	}
}

// await waits, or until the list of events has changed.
func (src *source) await(ctx context.Context, d time.Duration) {
	src.mu.Lock()
	fresh := src.fresh
	src.mu.Unlock()
	waitFor(ctx, fresh, d)
}

// waitFor waits, and reports whether the list was read again before that was over.
func waitFor(ctx context.Context, fresh <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-fresh:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// States counts the subscriptions by mode and state. It is safe for concurrent use.
func (src *Source) States(count func(mode, state string)) {
	for _, s := range src.all {
		s.mu.Lock()
		mode, state := s.mode, s.state
		s.mu.Unlock()
		count(mode, state)
	}
}
