package events

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/extension/xextension/storage"
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
	key  string // in storage

	mu     sync.Mutex
	cursor *string   // the last that is safe to begin again from, nil for now
	anchor anchor    // of webhooks of G1
	id     string    // the client's (G1), or the server's while there is a webhook
	until  time.Time // when the subscription by webhook ends unless it is renewed; zero: never
	mode   string
	state  string
	fresh  bool   // no stream was ever open; one that is opened again without cursor is a gap
	entry  *entry // of webhooks

	interrupt context.CancelCauseFunc // of the attempt
}

func newSubscription(src *source, spec Subscription) *subscription {
	sum := sha256.Sum256([]byte(src.Endpoint + "\n" + spec.Name + "\n" + string(spec.Arguments)))
	return &subscription{
		src: src, spec: spec, key: "events/place/" + hex.EncodeToString(sum[:16]),
		mode: "none", state: stateConnecting, fresh: true,
	}
}

// place is what is kept of a subscription.
type place struct {
	Cursor *string `json:"cursor"`
	ID     string  `json:"id,omitempty"`
}

func (s *subscription) load(ctx context.Context) error {
	text, err := s.src.Book.storage.Get(ctx, s.key)
	if err != nil || text == nil {
		return err
	}
	var p place
	if err := json.Unmarshal(text, &p); err != nil {
		s.src.Logger.Warn("Where a subscription was is not legible; it begins anew", zap.Error(err))
		return nil
	}
	s.cursor, s.id = p.Cursor, p.ID
	s.anchor.set(p.Cursor)
	s.fresh = false
	return nil
}

// move sets the cursor and is what keeps it. A nil one changes nothing: it says
// that there is no replay from here.
func (s *subscription) move(cursor *string) []*storage.Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cursor == nil || s.cursor != nil && *s.cursor == *cursor {
		return nil
	}
	s.cursor = cursor
	return s.kept()
}

// mark keeps the place as it is: one without a cursor tells after a restart that
// there was a subscription, and so that there is a gap.
func (s *subscription) mark() []*storage.Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept()
}

// begin sets the cursor to what a server said after a gap, or at the start.
func (s *subscription) begin(ctx context.Context, cursor *string) {
	s.mu.Lock()
	s.cursor = cursor
	s.anchor.set(cursor)
	kept := s.kept()
	s.mu.Unlock()
	s.src.Book.put(ctx, kept...)
}

// kept writes the place; the caller holds s.mu.
func (s *subscription) kept() []*storage.Operation {
	text, err := json.Marshal(place{s.cursor, s.id})
	if err != nil {
		return nil
	}
	return []*storage.Operation{storage.SetOperation(s.key, text)}
}

func (s *subscription) at() *string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

// clientID is the id that a client makes in G1, the same until it is renewed.
func (s *subscription) clientID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if uuid.Validate(s.id) != nil {
		s.id = uuid.NewString()
	}
	return s.id
}

func (s *subscription) named() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *subscription) is(mode, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.state
	s.mode, s.state = mode, state
	if state == stateActive && was != stateActive {
		s.src.calm(s)
	}
}

// request are the parameters that ask for the type of event.
func (s *subscription) request() map[string]any {
	params := map[string]any{"name": s.spec.Name, "cursor": s.at()}
	arguments := s.spec.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if s.src.speaks() == G1 {
		params["id"], params["params"] = s.clientID(), arguments
		return params
	}
	params["arguments"] = arguments
	if s.spec.MaxAge > 0 {
		params["maxAgeMs"] = s.spec.MaxAge.Milliseconds()
	}
	return params
}

// event records one event that came by poll or push.
func (s *subscription) event(ctx context.Context, raw json.RawMessage, delivery string) error {
	o := occurrenceOf(raw, parse(raw), "")
	s.sign(o, delivery)
	return s.src.recorder.insist(ctx, func() error {
		_, err := s.src.recorder.once(ctx, o)
		return err
	})
}

// sign says where an occurrence comes from.
func (s *subscription) sign(o *event.Occurrence, delivery string) {
	o.Endpoint, o.Server, o.Delivery = s.src.Endpoint, s.src.peer.serverName(), delivery
	o.Generation = s.src.speaks().String()
	if o.Subscription == "" {
		o.Subscription = s.named()
	}
	if o.Name == "" {
		o.Name = s.spec.Name
	}
}

// about records what is told about the subscription.
func (s *subscription) about(ctx context.Context, method string, fault members, delivery string) error {
	o := aboutOf(method, fault)
	s.sign(o, delivery)
	return s.src.recorder.insist(ctx, func() error { return s.src.recorder.run(ctx, o) })
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
