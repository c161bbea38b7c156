package eventsource

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Type is a type of event.
type Type struct {
	Name     string
	Delivery []string // poll, push, webhook
	Durable  bool     // there are cursors; else what nobody listens to is gone

	Description string
}

// Event is one that occurred.
type Event struct {
	ID, Name string
	Time     time.Time
	Data     string // JSON
	Meta     string // JSON of _meta, or ""
	position int    // from 1, in all types together
}

// Faults are asked before something goes well; all may be nil. They are called
// with the server locked and must not call it.
type Faults struct {
	// Answer says what becomes of a request: "" for an answer, "lost" for one that
	// is carried out and not answered, "busy" for a 429.
	Answer func(method string) string
	// Deliver says what becomes of an event on its way: "" for once, "twice",
	// "late" for after the next, "silent" for a stream that goes dead, "skewed" for
	// a delivery with a time that is too old, "forged" for a wrong signature.
	Deliver func(mode string) string
}

// Server is the fake. It is safe for concurrent use; its fields are set before it
// is used.
type Server struct {
	Generation int // 1, 2, 3
	Types      []Type
	Faults     Faults
	HTTP       *http.Client  // for deliveries
	Heartbeat  time.Duration // 0: 30 s
	Retry      time.Duration // between attempts to deliver, 0: 1 s
	Grant      time.Duration // of a subscription, 0: 1 h
	Page       int           // of events/list, 0: 1
	PollAfter  time.Duration // that polls are asked to wait, 0: 1.5 s
	Challenge  bool          // verify the URL of a webhook

	mu       sync.Mutex
	log      []Event
	oldest   int // position before which nothing is kept
	epoch    int // of the process; sessions and subscriptions are of one
	hooks    map[string]*hook
	changed  chan struct{} // closed when something happens
	restarts chan struct{} // closed at a restart
	Seen     map[string]int
}

func (s *Server) init() {
	if s.changed == nil {
		s.changed, s.restarts = make(chan struct{}), make(chan struct{})
		s.hooks, s.Seen = map[string]*hook{}, map[string]int{}
	}
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Append makes events occur.
func (s *Server) Append(events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	for _, e := range events {
		e.position = len(s.log) + 1
		if e.Time.IsZero() {
			e.Time = time.Now()
		}
		if e.Data == "" {
			e.Data = "{}"
		}
		s.log = append(s.log, e)
	}
	s.wake()
}

// Restart ends the process: streams break off, sessions and subscriptions are
// forgotten, and so is what is not durable.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.epoch++
	for _, h := range s.hooks {
		close(h.stop)
	}
	s.hooks = map[string]*hook{}
	close(s.restarts)
	s.restarts = make(chan struct{})
	s.wake()
}

// Expire forgets all events so far: cursors to them are too old.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oldest = len(s.log)
}

// SetTypes changes the list of events, and tells of that.
func (s *Server) SetTypes(types ...Type) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.Types = types
	s.wake()
}

// Count is how many requests of a method came.
func (s *Server) Count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Seen[method]
}

func (s *Server) typeOf(name string) *Type {
	for i := range s.Types {
		if s.Types[i].Name == name {
			return &s.Types[i]
		}
	}
	return nil
}

// end is the position behind all that occurred.
func (s *Server) end() int { return len(s.log) }

func cursorAt(t *Type, position int) any {
	if !t.Durable {
		return nil
	}
	return "pos-" + strconv.Itoa(position)
}

// from reads a cursor: the position behind which to begin, and whether there is a
// gap before it, which what is kept still follows.
func (s *Server) from(raw json.RawMessage) (position int, gap bool) {
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return s.end(), false
	}
	if _, err := fmt.Sscanf(*text, "pos-%d", &position); err != nil || position < s.oldest || position > s.end() {
		return s.oldest, true
	}
	return position, false
}

// after are the events of a type behind a position.
func (s *Server) after(name string, position int) (events []Event) {
	for _, e := range s.log[position:] {
		if e.Name == name {
			events = append(events, e)
		}
	}
	return events
}

func (s *Server) body(e *Event, t *Type, extra map[string]any) map[string]any {
	m := map[string]any{
		"eventId": e.ID, "name": e.Name, "timestamp": e.Time.UTC().Format(time.RFC3339Nano),
		"data": json.RawMessage(e.Data), "cursor": cursorAt(t, e.position),
	}
	if e.Meta != "" {
		m["_meta"] = json.RawMessage(e.Meta)
	}
	maps.Copy(m, extra)
	return m
}

// deliver asks what becomes of an event.
func (s *Server) deliver(mode string) string {
	if s.Faults.Deliver == nil {
		return ""
	}
	return s.Faults.Deliver(mode)
}
