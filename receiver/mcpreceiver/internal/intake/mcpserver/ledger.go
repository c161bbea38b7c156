package mcpserver

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// ledger knows the sessions that were opened with initialize: 16 bytes of
// randomness each, in a map and in order of use. It has no timer: a session that
// was silent too long is found out when it is used, and one more than there may
// be drops the longest unused. Its methods are safe for concurrent use.
//
// The tracker has the last word where it knows the session: what it has ended
// is over here too, what it still has open, since something runs in it or since
// it was restored after a restart, is valid here.
type ledger struct {
	max   int
	idle  time.Duration
	state func(session string) session.State

	mu    sync.Mutex
	index map[key]uint32
	slots []slot // slots[0] is the ring's anchor: its next is the longest unused
	spare []uint32
}

// key is a session id without its hexadecimal form.
type key [16]byte

// slot is a session's place in the ring.
type slot struct {
	key        key
	seen       int64 // Unix ns
	prev, next uint32
}

func newLedger(limit int, idle time.Duration, state func(string) session.State) *ledger {
	return &ledger{max: limit, idle: idle, state: state, index: map[key]uint32{}, slots: make([]slot, 1)}
}

// mint opens a session. Its id cannot be guessed.
func (l *ledger) mint(now int64) string {
	var k key
	_, _ = rand.Read(k[:]) // never fails
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(k, now)
	return hex.EncodeToString(k[:])
}

// use tells whether the session is open, and if so it is not idle.
func (l *ledger) use(id string, now int64) bool {
	k, ok := keyOf(id)
	if !ok {
		return false
	}
	state := l.state(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	at, known := l.index[k]
	switch {
	case state == session.Ended, state == session.Unknown && l.expired(at, known, now):
		l.remove(k)
		return false
	case known:
		l.slots[at].seen = now
		l.unlink(at)
		l.linkLast(at)
	default:
		l.add(k, now)
	}
	return true
}

// end forgets the session.
func (l *ledger) end(id string) {
	if k, ok := keyOf(id); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.remove(k)
	}
}

// keyOf is the id's key. Only the form that was handed out is one: the tracker
// knows sessions by their whole id.
func keyOf(id string) (k key, ok bool) {
	if len(id) != hex.EncodedLen(len(k)) {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(id))
	return k, err == nil && hex.EncodeToString(k[:]) == id
}

func (l *ledger) expired(at uint32, known bool, now int64) bool {
	return !known || now-l.slots[at].seen > int64(l.idle)
}

// add makes room if need be. The caller holds mu.
func (l *ledger) add(k key, now int64) {
	for len(l.index) >= l.max {
		l.remove(l.slots[l.slots[0].next].key)
	}
	var at uint32
	if n := len(l.spare); n > 0 {
		at, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		at = uint32(len(l.slots)) //nolint:gosec // at most max
		l.slots = append(l.slots, slot{})
	}
	l.slots[at] = slot{key: k, seen: now}
	l.index[k] = at
	l.linkLast(at)
}

// remove forgets a session, if it is known. The caller holds mu.
func (l *ledger) remove(k key) {
	at, known := l.index[k]
	if !known {
		return
	}
	delete(l.index, k)
	l.unlink(at)
	l.spare = append(l.spare, at)
}

func (l *ledger) unlink(at uint32) {
	s := l.slots[at]
	l.slots[s.prev].next, l.slots[s.next].prev = s.next, s.prev
}

func (l *ledger) linkLast(at uint32) {
	last := l.slots[0].prev
	l.slots[at].prev, l.slots[at].next = last, 0
	l.slots[last].next, l.slots[0].prev = at, at
}
