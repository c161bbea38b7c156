package events

import (
	"context"
	"encoding/json"
	"sync"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// The states of a subscription, as own metrics call them.
const (
	stateConnecting = "connecting"
	stateActive     = "active"
	stateRefused    = "refused" // in every way that is configured
	stateEnded      = "ended"   // by the server
)

// subscription is one type of event of one server. Its goroutine runs it; streams
// that carry several, and deliveries, come from others.
type subscription struct {
	src  *source
	spec Subscription

	position position
	webhook  webhook

	mu        sync.Mutex
	mode      string
	state     string
	fresh     bool                    // no stream was ever open; one that is opened again without cursor is a gap
	interrupt context.CancelCauseFunc // of the attempt
}

func newSubscription(src *source, spec Subscription) *subscription {
	s := &subscription{
		src: src, spec: spec, position: newPosition(src.Endpoint, &spec),
		mode: "none", state: stateConnecting, fresh: true,
	}
	s.webhook.s = s
	return s
}

func (s *subscription) load(ctx context.Context) error {
	text, err := s.src.Seen.Get(ctx, s.position.key)
	if err != nil || text == nil {
		return err
	}
	if err := s.position.restore(text); err != nil {
		s.src.Logger.Warn("Stored cursor is corrupt; restarting subscription", zap.Error(err))
		return nil
	}
	s.fresh = false
	return nil
}

// begin sets the cursor to what a server said after a gap, or at the start.
func (s *subscription) begin(ctx context.Context, cursor *string) {
	s.src.Seen.Put(ctx, s.position.begin(cursor)...)
}

func (s *subscription) is(mode, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.state
	s.mode, s.state = mode, state
	if state == stateActive && was != stateActive {
		s.src.clearError(s)
	}
}

func (s *subscription) active() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == stateActive
}

// request are the parameters that ask for the type of event.
func (s *subscription) request() map[string]any {
	params := map[string]any{"name": s.spec.Name, "cursor": s.position.current()}
	arguments := s.spec.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if s.src.speaks() == Draft1 {
		params["id"], params["params"] = s.position.clientID(), arguments
		return params
	}
	params["arguments"] = arguments
	if s.spec.MaxAge > 0 {
		params["maxAgeMs"] = s.spec.MaxAge.Milliseconds()
	}
	return params
}

// event records one event that came by poll or push. One without a cursor of its own
// has the one behind it, nil if there is none.
func (s *subscription) event(ctx context.Context, raw json.RawMessage, delivery string, behind *string) error {
	o := occurrenceOf(raw, parseMembers(raw), "")
	if o.Cursor == "" && behind != nil {
		o.Cursor = *behind
	}
	s.sign(o, delivery)
	return s.src.recorder.insist(ctx, func(ctx context.Context) error {
		_, err := s.src.recorder.once(ctx, o)
		return err
	})
}

// sign says where an occurrence comes from.
func (s *subscription) sign(o *event.Occurrence, delivery string) {
	o.Endpoint, o.Server, o.Delivery = s.src.Endpoint, s.src.peer.ServerName(), delivery
	o.Generation = s.src.speaks().String()
	if o.Subscription == "" {
		o.Subscription = s.position.subscriptionID()
	}
	if o.Name == "" {
		o.Name = s.spec.Name
	}
}

// about records what is reported about the subscription.
func (s *subscription) about(ctx context.Context, method string, fault members, delivery string) error {
	o := aboutOf(method, fault)
	s.sign(o, delivery)
	return s.src.recorder.insist(ctx, func(ctx context.Context) error { return s.src.recorder.run(ctx, o) })
}

// gap tells that events are lost, and goes on from the cursor.
func (s *subscription) gap(ctx context.Context, fault members, cursor *string, delivery string) error {
	s.src.Runner.Lost(ctx, "event_gap")
	if err := s.about(ctx, mcpconv.EventsGap, fault, delivery); err != nil {
		return err
	}
	s.begin(ctx, cursor)
	return nil
}
