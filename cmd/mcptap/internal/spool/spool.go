// Package spool hands bytes that pass by to somebody who looks at them later,
// without ever making those wait who pass them on.
package spool

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"
)

// Pause is how long the reader rests between looks, so that those who write
// hardly ever wake it: a wake-up costs them more than all else they do here.
const Pause = 20 * time.Millisecond

// quiet is how many looks at nothing let the reader sleep until it is woken.
const quiet = 5

// header is the time, the size and the stream of a chunk.
const (
	header = 13
	gapBit = 0x80
)

// Chunk is what one read brought.
type Chunk struct {
	Time   int64 // Unix ns
	Stream int   // as given to Put
	Gap    bool  // bytes of the stream before this chunk did not fit and are lost
	Bytes  []byte
}

// Spool keeps chunks in the order of Put until they are read. It is safe for
// concurrent use by many writers and one reader.
type Spool struct {
	bound int
	wake  chan struct{}
	idle  atomic.Bool // the reader sleeps until it is woken

	mu     sync.Mutex
	active []byte
	gap    [2]bool
	closed bool

	spare []byte // the reader's
}

// New makes a spool that holds at most twice bound bytes: what is written, and
// what is being read. They are reserved at once, so that nobody who writes waits
// for memory to be moved; the system gives them when they are used.
func New(bound int) *Spool {
	return &Spool{
		bound: bound, wake: make(chan struct{}, 1),
		active: make([]byte, 0, bound), spare: make([]byte, 0, bound),
	}
}

// Put adds what was seen at a time, Unix ns, on stream 0 or 1. It copies p, and
// drops it if it does not fit.
func (s *Spool) Put(at int64, stream int, p []byte) {
	s.mu.Lock()
	fits := len(s.active)+header+len(p) <= s.bound
	if fits {
		s.append(at, stream, p)
	} else {
		s.gap[stream] = true
	}
	much := len(s.active) > s.bound/4
	s.mu.Unlock()
	if much || s.idle.Load() {
		s.rouse()
	}
}

func (s *Spool) append(at int64, stream int, p []byte) {
	tag := byte(stream) //nolint:gosec // 0 or 1
	if s.gap[stream] {
		tag |= gapBit
		s.gap[stream] = false
	}
	b := binary.LittleEndian.AppendUint64(s.active, uint64(at)) //nolint:gosec // and back
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p)))     //nolint:gosec // within bound
	s.active = append(append(b, tag), p...)
}

func (s *Spool) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close lets Read return when all is read. Nothing may be Put after it.
func (s *Spool) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.rouse()
}

// Read gives every chunk to look, in order, until the spool is closed and
// empty. Chunks are valid until look returns. A gap that nothing followed is
// given as an empty chunk at the end.
func (s *Spool) Read(look func(Chunk)) {
	timer := time.NewTimer(Pause)
	defer timer.Stop()
	for empty := 0; ; {
		full, closed := s.take()
		each(full, look)
		switch {
		case len(full) > 0:
			empty = 0
		case closed:
			s.lastGaps(look)
			return
		default:
			empty++
		}
		if !closed {
			s.rest(timer, empty >= quiet)
		}
	}
}

func (s *Spool) lastGaps(look func(Chunk)) {
	for stream, gap := range s.gap {
		if gap {
			look(Chunk{Time: time.Now().UnixNano(), Stream: stream, Gap: true})
		}
	}
}

// rest waits for the next look.
func (s *Spool) rest(timer *time.Timer, deep bool) {
	if deep {
		s.idle.Store(true)
		if s.isEmpty() {
			<-s.wake
		}
		s.idle.Store(false)
		return
	}
	timer.Reset(Pause)
	select {
	case <-s.wake:
	case <-timer.C:
	}
}

func (s *Spool) isEmpty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.active) == 0 && !s.closed
}

// take is what was put since the last time; it is valid until the next.
func (s *Spool) take() (full []byte, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active, s.spare = s.spare[:0], s.active
	return s.spare, s.closed
}

func each(full []byte, look func(Chunk)) {
	for len(full) > 0 {
		at := binary.LittleEndian.Uint64(full)
		n := header + int(binary.LittleEndian.Uint32(full[8:]))
		tag := full[12]
		look(Chunk{Time: int64(at), Stream: int(tag &^ gapBit), Gap: tag&gapBit != 0, Bytes: full[header:n]}) //nolint:gosec // as put
		full = full[n:]
	}
}
