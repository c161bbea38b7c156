// Package spool hands bytes that pass by to a reader that looks at them later. It never
// blocks the writers.
package spool

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"
)

// Pause is the time between two looks of the reader, so that writers hardly ever
// wake it: a wake-up costs them more than everything else they do here.
const Pause = 20 * time.Millisecond

// quiet is the number of empty looks after which the reader sleeps until it is woken.
const quiet = 5

// segmentBytes is the size of a segment. Segments are written one after the
// other, and free again once they have been read.
const segmentBytes = 256 << 10

// A chunk begins with its time (8 bytes), its size (4), the lines lost before it
// (4), and a byte of flags: its stream and what is known of a gap.
const (
	header  = 17
	gapBit  = 0x80
	tornBit = 0x40
	flags   = gapBit | tornBit
)

// Chunk is the result of one read, or a part of it.
type Chunk struct {
	Time   int64 // Unix ns
	Stream int   // as given to Put
	Gap    Gap   // what is missing of the stream before this chunk
	Bytes  []byte
}

// Gap is a range of a stream that did not fit. The zero value is none.
type Gap struct {
	Present bool
	Lines   int64 // that ended in it
	Torn    bool  // a line that began in it has not ended in it
}

// add extends the gap.
func (g *Gap) add(p []byte) {
	g.Present = true
	g.Lines += int64(bytes.Count(p, []byte{'\n'}))
	g.Torn = p[len(p)-1] != '\n'
}

// Spool keeps chunks in the order of Put until they are read. It is safe for
// concurrent use by many writers and one reader.
type Spool struct {
	max  int // segments
	wake chan struct{}
	idle atomic.Bool // the reader sleeps until it is woken

	mu     sync.Mutex
	filled [][]byte // oldest first; the last one is being written
	free   [][]byte // the last one is used next, so that few are touched
	gap    [2]Gap
	closed bool
}

// New makes a spool that holds at most so many bytes, whether they are written
// or being read. They are reserved at once, so that no writer waits for memory;
// the system provides them when they are used.
func New(bound int) *Spool { return newSpool(segmentBytes, max(1, bound/segmentBytes)) }

func newSpool(size, segments int) *Spool {
	s := &Spool{max: segments, wake: make(chan struct{}, 1)}
	all := make([]byte, size*segments)
	for from := 0; from < len(all); from += size {
		s.free = append(s.free, all[from:from:from+size])
	}
	return s
}

// Put adds what was seen at a time, Unix ns, on stream 0 or 1. It copies p, and
// drops what does not fit.
func (s *Spool) Put(at int64, stream int, p []byte) {
	s.mu.Lock()
	for len(p) > 0 {
		segment := s.writable()
		if segment == nil {
			s.gap[stream].add(p)
			break
		}
		n := min(len(p), cap(*segment)-len(*segment)-header)
		*segment = s.append(*segment, at, stream, p[:n])
		p = p[n:]
	}
	much := len(s.filled) > s.max/8
	s.mu.Unlock()
	if much || s.idle.Load() {
		s.rouse()
	}
}

// writable is a segment with room for a chunk, nil if there is none.
func (s *Spool) writable() *[]byte {
	if n := len(s.filled); n > 0 && cap(s.filled[n-1])-len(s.filled[n-1]) > header {
		return &s.filled[n-1]
	}
	n := len(s.free)
	if n == 0 {
		return nil
	}
	s.filled = append(s.filled, s.free[n-1][:0])
	s.free = s.free[:n-1]
	return &s.filled[len(s.filled)-1]
}

func (s *Spool) append(to []byte, at int64, stream int, p []byte) []byte {
	gap := s.gap[stream]
	s.gap[stream] = Gap{}
	flag := byte(stream) //nolint:gosec // 0 or 1
	if gap.Present {
		flag |= gapBit
	}
	if gap.Torn {
		flag |= tornBit
	}
	to = binary.LittleEndian.AppendUint64(to, uint64(at))                      //nolint:gosec // and back
	to = binary.LittleEndian.AppendUint32(to, uint32(len(p)))                  //nolint:gosec // within size
	to = binary.LittleEndian.AppendUint32(to, uint32(min(gap.Lines, 1<<32-1))) //nolint:gosec // just bounded
	return append(append(to, flag), p...)
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
		filled, closed := s.take()
		for _, segment := range filled {
			each(segment, look)
			s.release(segment)
		}
		switch {
		case len(filled) > 0:
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
		if gap.Present {
			look(Chunk{Time: time.Now().UnixNano(), Stream: stream, Gap: gap})
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
	return len(s.filled) == 0 && !s.closed
}

// take returns the segments that were filled since the last time; each is the
// reader's until it is released.
func (s *Spool) take() (filled [][]byte, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	filled, s.filled = s.filled, nil
	return filled, s.closed
}

func (s *Spool) release(segment []byte) {
	s.mu.Lock()
	s.free = append(s.free, segment)
	s.mu.Unlock()
}

func each(segment []byte, look func(Chunk)) {
	for len(segment) > 0 {
		at := binary.LittleEndian.Uint64(segment)
		n := header + int(binary.LittleEndian.Uint32(segment[8:]))
		lines, flag := binary.LittleEndian.Uint32(segment[12:]), segment[16]
		look(Chunk{
			Time: int64(at), Stream: int(flag &^ flags), //nolint:gosec // as put
			Gap:   Gap{Present: flag&gapBit != 0, Lines: int64(lines), Torn: flag&tornBit != 0},
			Bytes: segment[header:n],
		})
		segment = segment[n:]
	}
}
