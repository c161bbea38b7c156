// Package stream keeps the last events for those who read them. Nothing is
// queued for a reader: each keeps its place, and who falls behind the last
// events finds a gap.
package stream

import (
	"sync"
	"time"
)

// Size is how many events are kept.
const Size = 1000

// Stream is the last events and those who wait for more. It is safe for
// concurrent use.
type Stream struct {
	mu      sync.Mutex
	ring    [Size]event   // by id modulo Size
	first   int64         // the id of the oldest event that is kept
	next    int64         // the id of the next event
	wake    chan struct{} // nil while nobody waits
	readers int
	limit   int
}

// event is one that was published. Its text is made when it is first read: most
// are read by nobody.
type event struct {
	text func(id int64) []byte // nil once it was made
	made []byte
}

// New makes a stream for at most limit readers at once. Its ids begin with the
// microseconds since 1970, so that they grow over restarts and a reader that
// comes back after one sees a gap, not another's events.
func New(limit int, now time.Time) *Stream {
	id := now.UnixMicro()
	return &Stream{first: id, next: id, limit: limit}
}

// Publish adds an event; text gives its bytes, to which the id may belong. It is
// called later, at most once, and must not depend on what may change.
func (s *Stream) Publish(text func(id int64) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring[s.next%Size] = event{text: text}
	s.next++
	s.first = max(s.first, s.next-Size)
	s.rouse()
}

// Rouse wakes all readers, because there is something new elsewhere.
func (s *Stream) Rouse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rouse()
}

func (s *Stream) rouse() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// Wait is closed when there is something new. Take it before looking.
func (s *Stream) Wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// Next is the id that the next event will have.
func (s *Stream) Next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// From calls visit with the events from id on, as long as that is true, and is
// the id to go on with. gap tells that events were missed before the first one.
func (s *Stream) From(id int64, visit func(id int64, event []byte) bool) (next int64, gap bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gap = id < s.first || id > s.next
	if gap {
		id = s.first
	}
	for ; id < s.next; id++ {
		if !visit(id, s.ring[id%Size].bytes(id)) {
			break
		}
	}
	return id, gap
}

func (e *event) bytes(id int64) []byte {
	if e.text != nil {
		e.made, e.text = e.text(id), nil
	}
	return e.made
}

// Enter counts a reader; false if there are as many as there may be.
func (s *Stream) Enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers >= s.limit {
		return false
	}
	s.readers++
	return true
}

// Leave is the end of a reader that entered.
func (s *Stream) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
}

// Readers is how many there are.
func (s *Stream) Readers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers
}
