package session

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/layers"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// End closes the session: first what is open in it, then itself.
func (tx *Tx) End(s *store.Session, at int64, reason string) { end(tx, s, at, reason, nil) }

// end is [Tx.End]; whole is the session that this one turned out to be part of, nil if
// it is none.
func end(tx *Tx, s *store.Session, at int64, reason string, whole *store.SessionRecord) {
	at = max(at, s.Start)
	s.Last = max(s.Last, at)
	if !s.Superseded {
		closeAll(tx, s, at, reason)
	}
	if s.Failed {
		s.Summary.Errors = max(s.Summary.Errors, 1) // its own, unless something in it explains it
	}
	news := countSums(tx, s)
	s.Ended = max(tx.Now(), 1)
	if s.Connection || !s.Announced && s.Spans == 0 {
		return // nothing was reported of it: its client reported on another
	}
	e := &SessionEnd{
		Session: &s.SessionRecord, Time: at, Reason: reason, Summary: identity.Span(s.Trace, identity.Summary),
		Host: hostRoot(tx, s), Whole: whole, News: news,
	}
	tx.Sink.SessionEnded(e)
	if !s.Superseded {
		reportEnd(tx, s, e)
	}
}

// closeAll closes what is open in the session.
func closeAll(tx *Tx, s *store.Session, at int64, reason string) {
	for _, c := range s.CallsInOrder() {
		if c.Dropped {
			s.Withdrawn = s.Withdrawn.With(layers.Hash(c.OpenKey()), at)
		}
		if c.Kind != event.AgentTurn {
			tx.Facts().Leave(s, c, CallEnd{Time: at, Incomplete: true})
		}
	}
	closeAgents(tx, s, at)
	closeTurns(tx, s, at)
	tx.CloseWaits(s, at, reason != mcpconv.EndFinished)
	closePhase(tx, s, at, true)
}

// endingKey is what the end of a session is parked under.
const endingKey = "end"

// HoldEnd ends the session of an agent as soon as what its own telemetry reports of
// the last moments had the time to come: agents send that behind their hooks. Until
// then the end is among the open calls.
func (tx Turns) HoldEnd(s *store.Session, env *event.Envelope, a *event.SelfReport) {
	if tx.Agents.JoinWait == 0 || !expectsMore(s) {
		tx.End(s, env.Time, mcpconv.EndFinished)
		return
	}
	if heldEnd(s) != nil {
		return
	}
	c := tx.NewTurn(s, env, a, env.Time)
	s.Agent.Turns--
	c.Parked.ID, c.Dropped, c.Turn.Last = endingKey, true, env.Time
	c.Deadline = tx.Now() + int64(tx.Agents.JoinWait)
	tx.Open(s, c)
}

// expectsMore reports whether the agent sends telemetry of its own.
func expectsMore(s *store.Session) bool {
	return OwnSpans(s) || (s.Agent.Sources | s.Agent.Expected).Has(store.FromLogs)
}

// finishWait is how long after a finish of the Inspector with levels still open the
// session has ended with it, if nothing comes but heartbeats that count nothing: a
// cancelled workflow sends no finish.
const finishWait = time.Minute

// AwaitFinish holds the end of an Inspector's session at that time, until something comes
// or [finishWait] is over.
func (tx *Tx) AwaitFinish(s *store.Session, env *event.Envelope, at int64) {
	c := tx.NewCall(s)
	c.Kind, c.Source, c.Method, c.Version = event.AgentTurn, event.Inspector, mcpconv.SpanTurn, "2.0"
	c.Start, c.RoundStart, c.Arrival, c.ProgressArrival, c.LastProgress = at, at, env.Arrival, env.Arrival, at
	c.Turn, c.Dropped, c.Deadline = &store.Turn{Last: at}, true, tx.Now()+int64(finishWait)
	c.Key = store.CallKey{Connection: Intern(s, env.Scope()), ID: store.GeneratedID + endingKey + `"`, FromClient: true}
	c.Parked = store.ParkKey{Kind: store.ParkedTurn, ID: endingKey}
	c.Bytes = c.CallRecord.Bytes()
	tx.Open(s, c)
}

// GoesOn gives up an end that is held of a session that is no agent's.
func (tx *Tx) GoesOn(s *store.Session) {
	if c := heldEnd(s); c != nil && s.Agent == nil {
		tx.Close(s, c)
	}
}

// heldEnd is the end of the session that is held, nil if there is none.
func heldEnd(s *store.Session) *store.Call {
	return s.Parked[store.ParkKey{Kind: store.ParkedTurn, ID: endingKey}]
}

// EndHeld ends the session if its end is held, at the time when it ended.
func (tx Turns) EndHeld(s *store.Session) {
	if c := heldEnd(s); c != nil {
		tx.Close(s, c)
		tx.End(s, c.Turn.Last, mcpconv.EndFinished)
	}
}

// closeTurns ends the turns, after what is in them.
func closeTurns(tx *Tx, s *store.Session, at int64) {
	for _, c := range s.CallsInOrder() {
		switch {
		case c.Parked.ID == endingKey:
			tx.Close(s, c)
		case c.Over():
			tx.Facts().ReleaseHeld(s, c)
		case !c.Turn.Prompted:
			tx.Close(s, c)
		case s.Agent.Sources.Has(store.FromHooks):
			tx.CloseCall(s, c, CallEnd{Time: at, Incomplete: true})
		default: // the agent does not report the ends of turns, or none that was seen
			tx.CloseCall(s, c, CallEnd{Time: min(at, max(c.Turn.Last, c.Start))})
		}
	}
}

// hostRoot is the root of the host's own session, if it is known.
func hostRoot(tx *Tx, s *store.Session) identity.Context {
	if s.HostID == "" || s.HostID == s.ID || !tx.Knows(s.HostID) {
		return identity.Context{}
	}
	trace := identity.Trace(tx.Options.Namespace, s.HostID)
	return identity.Context{Trace: trace, Span: identity.Span(trace, identity.Session)}
}

// Finish ends what cannot outlive the body: the calls of messages that belong to
// neither a session nor a connection. It comes before Commit.
func (tx *Tx) Finish() {
	if s := tx.Alone(); s != nil && s.Open() {
		tx.End(s, s.Last, mcpconv.EndClosed)
	}
	tx.ReportRows()
}

// EndDue reports what does not move, and ends what is due.
func (tx *Tx) EndDue(d *store.Due) {
	for _, c := range d.Stuck {
		stick(tx, c)
	}
	for _, found := range d.Stalled {
		stall(tx, found.Session, found.Alive, found.After)
	}
	for _, found := range d.Revived {
		revive(tx, found.Session, found.Alive)
	}
	tx.EndEvicted(d.Evicted)
	for _, s := range d.Idle {
		reason := mcpconv.EndIdle
		if s.GivenUp() { // nobody has seen to it
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
func (tx *Tx) EndEvicted(sessions []*store.Session) {
	for _, s := range sessions {
		tx.End(s, s.Last, mcpconv.EndEvicted)
		if !s.Connection {
			tx.Count(SessionEvicted)
		}
	}
}

// timeOut ends a call that is open for too long.
func timeOut(tx *Tx, c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.IdleOffset += tx.Now() - s.Arrival
	s.Arrival = tx.Now()
	if c.Method != mcpconv.MethodPing {
		s.Heard = tx.Now() // the host waited until now
	}
	tx.CloseCall(s, c, CallEnd{Time: s.Last, Incomplete: true, Outcome: TimedOut(tx.Options.CallTimeout)})
}

// evictCall ends a call that had to make room.
func evictCall(tx *Tx, c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.Heard = tx.Now()
	if c.Kind == event.AgentTurn && !c.Turn.Prompted {
		tx.Close(s, c)
	} else {
		tx.Facts().Leave(s, c, CallEnd{Time: s.Last, Incomplete: true})
	}
	tx.Count(CallEvicted)
}

// expire ends a call at its task's deadline: nobody asked for the result, or the
// task is not kept any longer.
func expire(tx *Tx, c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	switch {
	case c.Parked.ID == endingKey:
		tx.Turns().EndHeld(s)
		return
	case c.Over():
		expireHeld(tx, s, c)
		return
	}
	s.Heard = tx.Now()
	if c.TaskEnd != 0 {
		tx.CloseCall(s, c, CallEnd{Time: c.TaskEnd, Outcome: OfTask(&c.CallRecord)})
		return
	}
	tx.CloseCall(s, c, CallEnd{Time: s.Last, Incomplete: true, Outcome: Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: "the task's time to live is over",
	}})
}
