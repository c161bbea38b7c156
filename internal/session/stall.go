package session

import (
	"context"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// stall reports that nothing is heard of the session's host any more, since
// alive, which is longer than after, in ns. It reports the moment when it was due:
// the sweep may be late, and what it finds must be the same whenever it comes.
func (tx *stalls) stall(s *store.Session, alive, after int64) {
	if !s.Watched() {
		return
	}
	if s.ByTool {
		tx.lose(s, alive)
		return
	}
	s.Stalled = true
	tx.countError(s, s.MessageTime(alive)+after, "")
	tx.watch(s, Watch{
		Name: mcpconv.SpanHostStalled, Session: &s.SessionRecord, Silent: after,
	}, s.MessageTime(alive))
}

// missed notes that what happened in an open session of an agent may not be known.
func (tx *stalls) missed(ctx context.Context, env *event.Envelope, e *event.Missed) error {
	entry, err := tx.store.Touch(ctx, store.BySession, env.Session)
	if err != nil {
		return err
	}
	s := entry.Session()
	if s == nil || !s.Open() || s.Agent == nil ||
		e.HooksKept && (s.Agent.Sources|s.Agent.Expected)&(store.FromLogs|store.FromSpans) == 0 {
		return nil
	}
	more := s.More()
	more.Missed = more.Missed.With(max(e.From, s.Start), e.Until)
	s.Extra = &more
	return nil
}

// resume notes that something is heard of the session again, and reports it if its
// host was stalled.
func (tx *stalls) resume(s *store.Session, at int64) {
	if s.Unreturned = false; !s.Stalled || !s.Open() {
		return
	}
	s.Stalled = false
	tx.watch(s, Watch{Name: mcpconv.SpanHostResumed, Session: &s.SessionRecord, Time: at}, at)
}

// revive notes that what the session's host serves was heard of then, after the host
// was given up.
func (tx *stalls) revive(s *store.Session, alive int64) {
	s.Heard = max(s.Heard, alive)
	tx.resume(s, s.MessageTime(alive))
}

// stick reports that a call does not return. One that waits for a person is left alone for
// as long again; so is an agent's of which a message is open, since that knows the server.
func (tx *stalls) stick(c *store.Call) {
	if c.Ended || c.Stuck || c.Dropped {
		return
	}
	s := c.Session()
	if blocked(s, c) || c.OfAgent() && (tx.toolWaits(s, c) || messageOf(s, c) != nil) {
		tx.store.Spare(c)
		return
	}
	tx.countError(s, c.LastProgress+int64(tx.opt.StuckAfter), "")
	s.Unreturned = s.Unreturned || s.Heard <= c.ProgressArrival+int64(tx.opt.StuckAfter)
	tx.store.MarkStuck(c)
	tx.watchCall(c, Watch{Name: mcpconv.SpanCallStuck, Silent: int64(tx.opt.StuckAfter)}, c.LastProgress)
}

// noteProgress notes that the call goes on, from a message time on.
func (tx *stalls) noteProgress(c *store.Call, at int64) {
	tx.returned(c, at)
	tx.store.MarkProgress(c, at)
}

// agentMoves notes that the agent's call goes on of which c is the message: that was sent,
// or answered.
func (tx *stalls) agentMoves(s *store.Session, c *store.Call, at int64) {
	if own := agentCallOf(s, c); own != nil && !own.Over() {
		tx.noteProgress(own, max(at, own.Start))
	}
}

// returned reports that a stuck call moves again.
func (tx *stalls) returned(c *store.Call, at int64) {
	if c.Stuck {
		tx.watchCall(c, Watch{Name: mcpconv.SpanCallReturned}, at)
	}
}

// watch fills in where the span stands and reports it. since is the message time
// from which on nothing moved, or at which it moved again.
func (tx *stalls) watch(s *store.Session, w Watch, since int64) {
	w.Trace, w.Parent = s.Trace, s.Root
	w.Time = since + w.Silent
	w.Span = identity.Span(w.Trace, identity.Notice, s.Identity, w.Name, "", decimal(since))
	s.Spans++
	s.Contain(w.Trace, w.Time, w.Time)
	tx.sink.Watched(&w)
}

// watchCall does the same for a call.
func (tx *stalls) watchCall(c *store.Call, w Watch, since int64) {
	w.Session, w.Call = c.Of, &c.CallRecord
	w.Trace, w.Parent = c.Trace, c.Span
	w.Time = since + w.Silent
	session := ""
	if c.Of != nil {
		session = c.Of.Identity
		c.Of.Spans++
		c.Of.Contain(w.Trace, w.Time, w.Time)
	}
	w.Span = identity.Span(w.Trace, identity.Notice, session, w.Name, c.Span.String(), decimal(since))
	tx.sink.Watched(&w)
}

// blocked reports whether something is asked of the call's own sender, so that
// the call cannot return before the answer.
func blocked(s *store.Session, c *store.Call) bool {
	if len(s.Calls) > store.NestedMax {
		return false
	}
	for _, inner := range s.Calls {
		if blocks(inner, c) {
			return true
		}
	}
	return len(s.Waits) > 0
}

// blocks reports whether outer may have to wait until c is answered.
func blocks(c, outer *store.Call) bool {
	return c.Key.FromClient != outer.Key.FromClient && c.Key.Connection == outer.Key.Connection && mcpconv.Patient(c.Method)
}

// answeredAt gives the calls that may have waited for c, which was answered at
// that time, all the time there is to return.
func (tx *stalls) answeredAt(s *store.Session, c *store.Call, at int64) {
	if !mcpconv.Patient(c.Method) || len(s.Calls) == 0 || len(s.Calls) > store.NestedMax {
		return
	}
	for _, outer := range s.CallsInOrder() {
		if blocks(c, outer) && !outer.Dropped {
			tx.noteProgress(outer, max(at, outer.Start))
		}
	}
}

// toolWaits reports whether there is a reason why a tool does not return: a
// person is asked, or a sub-agent is at work.
func (tx *stalls) toolWaits(s *store.Session, c *store.Call) bool {
	if s.Agent == nil {
		return false
	}
	asking := s.Agent.Asking
	if slices.Contains(asking, c.OpenKey()) || s.Waiting() && len(asking) == 0 {
		return true
	}
	return len(s.Agents) > 0 && tx.store.Now()-s.Arrival < int64(tx.opt.StuckAfter)
}

// lose reports that nothing is heard of a host whose heartbeats are calls of a
// tool, since alive. Its model calls the tool when it sees fit, and few hosts say
// that they go: the silence does not mean that it is stuck. It counts as idle.
func (tx *stalls) lose(s *store.Session, alive int64) {
	since := s.MessageTime(alive)
	silent := int64(tx.opt.StalledAfter)
	tx.phases.enter(s, since+silent, mcpconv.PhaseIdle)
	tx.watch(s, Watch{Name: mcpconv.SpanHostUnknown, Session: &s.SessionRecord, Silent: silent}, since)
}
