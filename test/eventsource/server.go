package eventsource

import (
	"net/http"
	"sync"
	"time"
)

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
	log      journal
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
	s.log.add(events)
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
	s.log.oldest = s.log.end()
}

// SetTypes changes the list of events, and tells of that.
func (s *Server) SetTypes(types ...Type) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.Types = types
	s.wake()
}

// Count returns how many requests of a method came.
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
