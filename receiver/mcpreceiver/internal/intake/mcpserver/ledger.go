package mcpserver

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// ledger knows the sessions that were opened with initialize: 16 bytes of
// randomness each, in a map and in order of use. It has no timer: a session that
// was silent too long is found out when it is used, and one more than there may
// be drops the longest unused. Its methods are safe for concurrent use.
//
// The engine has the last word where it knows the session: what it has ended
// is over here too, what it still has open, since something runs in it or since
// it was restored after a restart, is valid here.
type ledger struct {
	max   int
	idle  time.Duration
	state func(session string) session.State

	mu    sync.Mutex
	index map[key]*intrusive.Node[opened]
	used  intrusive.List[opened] // the longest unused first
}

// key is a session id without its hexadecimal form.
type key [16]byte

// opened is a session.
type opened struct {
	key  key
	seen int64 // Unix ns
}

func newLedger(limit int, idle time.Duration, state func(string) session.State) *ledger {
	return &ledger{max: limit, idle: idle, state: state, index: map[key]*intrusive.Node[opened]{}}
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

// use reports whether the session is open, and if so it is not idle.
func (l *ledger) use(id string, now int64) bool {
	k, ok := keyOf(id)
	if !ok {
		return false
	}
	state := l.state(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	node := l.index[k]
	switch {
	case state == session.Ended, state == session.Unknown && l.expired(node, now):
		l.remove(node)
		return false
	case node != nil:
		node.Value.seen = now
		l.used.MoveToBack(node)
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
		l.remove(l.index[k])
	}
}

// keyOf is the id's key. Only the form that was handed out is one: the engine
// knows sessions by their whole id.
func keyOf(id string) (k key, ok bool) {
	if len(id) != hex.EncodedLen(len(k)) {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(id))
	return k, err == nil && hex.EncodeToString(k[:]) == id
}

func (l *ledger) expired(node *intrusive.Node[opened], now int64) bool {
	return node == nil || now-node.Value.seen > int64(l.idle)
}

// add makes room if need be. The caller holds mu.
func (l *ledger) add(k key, now int64) {
	for len(l.index) >= l.max {
		l.remove(l.used.Front())
	}
	node := &intrusive.Node[opened]{Value: opened{key: k, seen: now}}
	l.index[k] = node
	l.used.MoveToBack(node)
}

// remove forgets a session; nil is none. The caller holds mu.
func (l *ledger) remove(node *intrusive.Node[opened]) {
	if node != nil {
		delete(l.index, node.Value.key)
		node.Leave()
	}
}
