package activity

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/table"
	"github.com/otelcol-mcp/otelcol-mcp/internal/tracecontext"
)

// End closes the session: first what is open in it, then itself.
func (tx *Tx) End(s *table.Session, at int64, reason string) {
	at = max(at, s.Start)
	s.Last = max(s.Last, at)
	if !s.Moved {
		closeAll(tx, s, at, reason)
	}
	s.Ended = max(tx.Now(), 1)
	if s.Connection {
		return
	}
	tx.Sink.SessionEnded(&emit.SessionEnd{
		Session: &s.Session, Time: at, Reason: reason, Summary: identity.Span(s.Trace, identity.Summary),
		Host: hostRoot(tx, s),
	})
}

// closeAll closes what is open in the session.
func closeAll(tx *Tx, s *table.Session, at int64, reason string) {
	for _, c := range s.CallsInOrder() {
		if c.Dropped {
			s.Withdrawn = s.Withdrawn.With(HashKey(c.OpenKey()), at)
		}
		tx.CloseCall(s, c, emit.CallEnd{Time: at, Incomplete: true})
	}
	closeAgents(tx, s, at)
	tx.CloseWaits(s, at, reason != mcpconv.EndFinished)
	closePhase(tx, s, at, true)
}

// hostRoot is the root of the host's own session, if it is known.
func hostRoot(tx *Tx, s *table.Session) tracecontext.Context {
	if s.HostID == "" || s.HostID == s.ID || !tx.Knows(s.HostID) {
		return tracecontext.Context{}
	}
	trace := identity.Trace(tx.Options.Namespace, s.HostID)
	return tracecontext.Context{Trace: trace, Span: identity.Span(trace, identity.Session)}
}

// Finish ends what cannot outlive the body: the calls of messages that belong to
// neither a session nor a connection. It comes before Commit.
func (tx *Tx) Finish() {
	if s := tx.Alone(); s != nil && s.Open() {
		tx.End(s, s.Last, mcpconv.EndClosed)
	}
}

// EndDue reports what does not move, and ends what is due.
func (tx *Tx) EndDue(d *table.Due) {
	for _, c := range d.Stuck {
		tx.Stick(c)
	}
	for _, found := range d.Stalled {
		tx.Stall(found.Session, found.Alive)
	}
	tx.EndEvicted(d.Evicted)
	for _, s := range d.Idle {
		reason := mcpconv.EndIdle
		if s.Stalled { // nobody has seen to it
			reason = mcpconv.EndStalled
		}
		tx.End(s, s.Last, reason)
	}
	for _, c := range d.Expired {
		expire(tx, c)
	}
	for _, c := range d.Timed {
		timeOut(tx, c)
	}
	for _, c := range d.Excess {
		evictCall(tx, c)
	}
}

// EndEvicted ends sessions that had to make room.
func (tx *Tx) EndEvicted(sessions []*table.Session) {
	for _, s := range sessions {
		tx.End(s, s.Last, mcpconv.EndEvicted)
		if !s.Connection {
			tx.Count(emit.SessionEvicted)
		}
	}
}

// timeOut ends a call that is open for too long.
func timeOut(tx *Tx, c *table.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.IdleOffset += tx.Now() - s.Arrival
	s.Arrival = tx.Now()
	if c.Method != mcpconv.MethodPing {
		s.Heard = tx.Now() // the host waited until now
	}
	tx.CloseCall(s, c, emit.CallEnd{Time: s.Last, Incomplete: true, Outcome: timedOut(tx.Options.CallTimeout)})
}

// evictCall ends a call that had to make room.
func evictCall(tx *Tx, c *table.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.Heard = tx.Now()
	tx.CloseCall(s, c, emit.CallEnd{Time: s.Last, Incomplete: true})
	tx.Count(emit.CallEvicted)
}

// expire ends a call at its task's deadline: nobody asked for the result, or the
// task is not kept any longer.
func expire(tx *Tx, c *table.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.Heard = tx.Now()
	if c.TaskEnd != 0 {
		tx.CloseCall(s, c, emit.CallEnd{Time: c.TaskEnd, Outcome: TaskOutcome(&c.Call)})
		return
	}
	tx.CloseCall(s, c, emit.CallEnd{Time: s.Last, Incomplete: true, Outcome: emit.Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: "the task's time to live is over",
	}})
}
