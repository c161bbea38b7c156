package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Watch is what the tracker finds out by itself: that something does not move,
// or moves again.
type Watch struct {
	Name    string   // mcpconv.SpanHostStalled and its like
	Session *Session // nil if there is none
	Call    *Call    // nil if it is about the host
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Time    int64
	Silent  int64 // ns for which nothing moved
}

// watched tells whether the silence of the session's host would mean something.
func (s *Session) watched() bool {
	if !s.beaten || s.Stalled || s.Connection || s.ended != 0 || len(s.waits) > 0 || s.works() {
		return false
	}
	if s.hooks != nil && (s.Phase == nil || s.Phase.Name == mcpconv.PhaseError) {
		return false // before the first prompt, and after a turn that failed, nothing is to be heard
	}
	return s.Phase == nil || s.Phase.Name != mcpconv.PhaseIdle && s.Phase.Name != mcpconv.PhaseApproval
}

// works tells whether a call is open that the host may wait for. A stream is
// none: it is open for as long as its host is connected.
func (s *Session) works() bool {
	if s.open() > among {
		return true
	}
	for c := range s.everyOpen {
		if !mcpconv.Stream(c.Method) {
			return true
		}
	}
	return false
}

// stall tells that nothing is heard of the session's host any more, since alive.
// It tells of the moment when it was due: the sweep may be late, and what it
// finds must be the same whenever it comes.
func (tx *Tx) stall(s *Session, alive int64) {
	if !s.watched() {
		return
	}
	s.Stalled = true
	s.Summary.Errors++
	tx.watch(Watch{Name: mcpconv.SpanHostStalled, Session: s, Silent: int64(tx.t.opt.StalledAfter)}, s.Last+s.lapse+alive-s.arrival)
}

// resume tells that something is heard of the session's host again.
func (tx *Tx) resume(s *Session, o *Observation) {
	if !s.Stalled || s.ended != 0 {
		return
	}
	s.Stalled = false
	tx.watch(Watch{Name: mcpconv.SpanHostResumed, Session: s, Time: o.Time}, o.Time)
}

// watch fills in where the span stands and tells of it. since is the message
// time from which on nothing moved, or at which it moved again.
func (tx *Tx) watch(w Watch, since int64) {
	s, key := w.Session, ""
	identityOf := ""
	if s != nil {
		identityOf = s.Identity
		w.Trace, w.Parent = s.Trace, s.Root
	}
	if w.Call != nil {
		w.Trace, w.Parent, key = w.Call.Trace, w.Call.Span, w.Call.Span.String()
	}
	w.Time = since + w.Silent
	w.Span = identity.Span(w.Trace, identity.Notice, identityOf, w.Name, key, decimal(since))
	tx.count(s)
	tx.sink.Watched(&w)
}

// stick tells that a call does not return. One that waits for a person is left
// alone for as long again.
func (tx *Tx) stick(c *Call) {
	if c.reported || c.Stuck || c.dropped {
		return
	}
	s := c.entry.s
	if s.asks(c) || c.Hook && tx.toolWaits(s, c) {
		tx.moved = append(tx.moved, move{c, c.since + tx.now - c.moved})
		return
	}
	c.Stuck = true
	s.Summary.Errors++
	tx.undo = append(tx.undo, undo{kind: undoStuck, call: c})
	tx.stuck = append(tx.stuck, c)
	tx.watch(Watch{Name: mcpconv.SpanCallStuck, Session: c.Session, Call: c, Silent: int64(tx.t.opt.StuckAfter)}, c.since)
}

// unstick tells that a stuck call moves again.
func (tx *Tx) unstick(c *Call, at int64) {
	if !c.Stuck {
		return
	}
	tx.watch(Watch{Name: mcpconv.SpanCallReturned, Session: c.Session, Call: c}, at)
}

// among is the number of open calls up to which those that wait for each other
// are looked for.
const among = 64

// asks tells whether something is asked of the call's own sender, so that the
// call cannot return before the answer.
func (s *Session) asks(c *Call) bool {
	if len(s.calls) > among {
		return false
	}
	for _, inner := range s.calls {
		if inner.holdsUp(c) {
			return true
		}
	}
	return len(s.waits) > 0
}

// holdsUp tells whether outer may have to wait until c is answered.
func (c *Call) holdsUp(outer *Call) bool {
	return c.FromClient != outer.FromClient && c.Connection == outer.Connection && mcpconv.Patient(c.Method)
}

// answeredAt gives the calls that may have waited for c, which was answered at
// that time, all the time there is to return.
func (tx *Tx) answeredAt(s *Session, c *Call, at int64) {
	if !mcpconv.Patient(c.Method) || len(s.calls) == 0 || len(s.calls) > among {
		return
	}
	for _, outer := range s.openCalls() {
		if c.holdsUp(outer) && !outer.dropped {
			tx.moves(outer, max(at, outer.Start))
		}
	}
}
