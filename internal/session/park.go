package session

import (
	"crypto/sha256"
	"maps"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// parkKey finds an open call that waits for something other than the reply to
// its request.
type parkKey struct {
	kind       parkKind
	connection string
	id         string
	fromClient bool
}

type parkKind uint8

const (
	parkedTask  parkKind = iota + 1 // for its task, by the task's id
	parkedRound                     // for the client to go on, by the state that it will name
	parkedTool                      // for updates of ACP, by the tool call's id
)

// stateKey is what a request state is found by; it may be long.
func stateKey(state string) string {
	sum := sha256.Sum256([]byte(state))
	return string(sum[:16])
}

// parkedBy is the parked call with the key that something sent in the
// observation's direction names.
func (s *Session) parkedBy(kind parkKind, connection, id string, fromClient bool) *Call {
	if id == "" || len(s.parked) == 0 {
		return nil
	}
	return s.parked[parkKey{kind, connection, id, fromClient}]
}

// park makes an open call wait for something other than its reply: another one
// that waits for the same is in the way, and returned instead.
func (tx *Tx) park(s *Session, c *Call, kind parkKind, id string) (taken *Call) {
	key := parkKey{kind, c.Connection, id, c.FromClient}
	if other := s.parked[key]; other != nil {
		return other
	}
	token := s.take(c)
	c.parked = key
	s.putParked(c)
	tx.restate(c)
	tx.onUndo(func() {
		delete(s.parked, key)
		c.parked = parkKey{}
		s.calls[c.key()] = c
		if token {
			s.tokens[c.tokenKey()] = c
		}
	})
	return nil
}

// unpark makes a parked call wait for the reply to its latest request again.
func (tx *Tx) unpark(s *Session, c *Call) {
	key := c.parked
	delete(s.parked, key)
	c.parked = parkKey{}
	s.put(c)
	tx.restate(c)
	tx.onUndo(func() {
		s.take(c)
		c.parked = key
		s.putParked(c)
	})
}

func (s *Session) putParked(c *Call) {
	if s.parked == nil {
		s.parked = map[parkKey]*Call{}
	}
	s.parked[c.parked] = c
}

// restate has the call lined up anew, where its state belongs.
func (tx *Tx) restate(c *Call) { tx.restated = append(tx.restated, c) }

// onUndo notes how to take a change back.
func (tx *Tx) onUndo(f func()) { tx.undo = append(tx.undo, undo{kind: undoFunc, f: f}) }

// open is how many calls are open.
func (s *Session) open() int { return len(s.calls) + len(s.parked) }

// everyOpen are the open calls, in no order.
func (s *Session) everyOpen(yield func(*Call) bool) {
	for c := range maps.Values(s.calls) {
		if !yield(c) {
			return
		}
	}
	for c := range maps.Values(s.parked) {
		if !yield(c) {
			return
		}
	}
}

// mayWait tells whether the call may take any time: by its nature, or because it
// waits for somebody or runs as a task.
func (c *Call) mayWait() bool {
	return mcpconv.Patient(c.Method) || c.parked.kind == parkedTask || c.parked.kind == parkedRound
}
