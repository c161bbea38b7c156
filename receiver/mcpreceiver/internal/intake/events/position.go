package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// position is where a subscription is among the events of a server. It is safe
// for concurrent use. What changes it returns the operations that store it.
type position struct {
	key string // in storage

	mu     sync.Mutex
	cursor *string // the last that is safe to begin again from, nil for now
	anchor anchor  // of webhooks of the first draft
	id     string  // the client's (first draft), or the server's while there is a webhook
}

func newPosition(endpoint string, spec *Subscription) position {
	sum := sha256.Sum256([]byte(endpoint + "\n" + spec.Name + "\n" + string(spec.Arguments)))
	return position{key: "events/place/" + hex.EncodeToString(sum[:16])}
}

// stored holds what is kept of a position.
type stored struct {
	Cursor *string `json:"cursor"`
	ID     string  `json:"id,omitempty"`
}

// restore reads what was stored.
func (p *position) restore(text []byte) error {
	var was stored
	if err := json.Unmarshal(text, &was); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cursor, p.id = was.Cursor, was.ID
	p.anchor.set(was.Cursor)
	return nil
}

// store returns what keeps the position as it is; the caller holds mu.
func (p *position) store() []*storage.Operation {
	text, err := json.Marshal(stored{p.cursor, p.id})
	if err != nil {
		return nil
	}
	return []*storage.Operation{storage.SetOperation(p.key, text)}
}

// move sets the cursor. A nil one changes nothing: it says that there is no
// replay from here.
func (p *position) move(cursor *string) []*storage.Operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cursor == nil || p.cursor != nil && *p.cursor == *cursor {
		return nil
	}
	p.cursor = cursor
	return p.store()
}

// mark keeps the position as it is: one without a cursor shows after a restart
// that there was a subscription, and so that there is a gap.
func (p *position) mark() []*storage.Operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.store()
}

// begin sets the cursor to what a server said after a gap, or at the start.
func (p *position) begin(cursor *string) []*storage.Operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cursor = cursor
	p.anchor.set(cursor)
	return p.store()
}

// note takes the cursor of a delivery of the first draft and gives the one to
// begin again from.
func (p *position) note(cursor *string, now time.Time) *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.anchor.note(cursor, now)
}

func (p *position) current() *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cursor
}

// clientID is the id that a client makes in the first draft, the same until it is
// renewed.
func (p *position) clientID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if uuid.Validate(p.id) != nil {
		p.id = uuid.NewString()
	}
	return p.id
}

// subscriptionID is the id in use, "" if there is none.
func (p *position) subscriptionID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// setID sets the id; with "" the next subscription is another one.
func (p *position) setID(id string) []*storage.Operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id = id
	return p.store()
}

// anchor is the cursor to subscribe again from in the first draft, whose
// deliveries carry the position behind each while their order is not known: one
// that is older than a server goes on trying to deliver. What is between comes
// again.
type anchor struct {
	safe, next *string
	since      time.Time
}

func (a *anchor) set(cursor *string) { *a = anchor{safe: cursor} }

func (a *anchor) note(cursor *string, now time.Time) *string {
	switch {
	case cursor == nil:
	case a.safe == nil:
		a.safe = cursor
	case a.next == nil:
		a.next, a.since = cursor, now
	case now.Sub(a.since) >= graceTime:
		a.safe, a.next, a.since = a.next, cursor, now
	}
	return a.safe
}
