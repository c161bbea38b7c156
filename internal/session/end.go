package session

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// end closes the session: first what is open in it, then itself.
func (tx *ends) end(s *store.Session, at int64, reason string) { tx.endAs(s, at, reason, nil) }

// endAs is [Tx.End]; whole is the session that this one turned out to be part of, nil if
// it is none.
func (tx *ends) endAs(s *store.Session, at int64, reason string, whole *store.SessionRecord) {
	at = max(at, s.Start, s.Until)
	s.Last = max(s.Last, at)
	if !s.Superseded {
		tx.closeAll(s, at, reason)
		at = max(at, s.Until)
	}
	if s.Failed && s.Totals().Errors == 0 {
		s.Summary.Errors++ // its own, unless something in it explains it
	}
	var news event.Amendment
	if whole == nil {
		news = ofTurns(s)
	}
	s.Ended = max(tx.store.Now(), 1)
	if s.Connection || !s.Announced && s.Spans == 0 {
		return // nothing was reported of it: its client reported on another
	}
	e := &SessionEnd{
		Session: &s.SessionRecord, Time: at, Reason: reason, Summary: identity.Span(s.Trace, identity.Summary),
		Host: tx.hostRoot(s), Parent: whole, News: news, Totals: s.Totals(),
	}
	more := s.More()
	more.End = &store.End{Time: at, Reason: reason}
	if whole != nil {
		epoch := whole.Epoch
		more.End.Whole = &epoch
	}
	s.Extra = &more
	tx.sink.SessionEnded(e)
	if !s.Superseded && s.Shown() {
		tx.rows.reportEnd(s, e)
	}
}

// closeAll closes what is open in the session.
func (tx *ends) closeAll(s *store.Session, at int64, reason string) {
	for _, c := range s.CallsInOrder() {
		if c.Dropped {
			s.Withdrawn = s.Withdrawn.With(c.OpenKey().Hash(), at)
		}
		if c.Kind != event.AgentTurn {
			tx.joins.emit(s, c, CallEnd{Time: at, Incomplete: true})
		}
	}
	tx.subAgents.closeAgents(s, at)
	tx.closeTurns(s, at)
	tx.waits.closeAll(s, at, reason != mcpconv.EndFinished)
	tx.phases.close(s, at, true)
}

// endingKey is the key of a deferred end of a session.
const endingKey = "end"

// deferEnd ends the session of an agent as soon as what its own telemetry, and taps that its
// process started, report of the last moments had the time to come: that is sent behind
// hooks, and not each agent tells these where its telemetry goes. Until then the end is among
// the open calls.
func (tx *turns) deferEnd(s *store.Session, env *event.Envelope, a *event.SelfReport) {
	if tx.agentOpt.JoinWait == 0 || !expectsMore(s) && !tx.processes.knows(s.ID) {
		tx.ends.end(s, env.Time, mcpconv.EndFinished)
		return
	}
	if heldEnd(s) == nil {
		tx.holdEnd(s, env, a, tx.agentOpt.JoinWait)
	}
}

// holdEnd ends the session after that time, as of now.
func (tx *turns) holdEnd(s *store.Session, env *event.Envelope, a *event.SelfReport, wait time.Duration) {
	c := tx.newTurn(s, env, a, env.Time)
	s.Agent.Turns--
	c.Parked.ID, c.Dropped, c.Turn.Last = endingKey, true, env.Time
	c.Deadline = tx.store.Now() + int64(wait)
	tx.store.Open(s, c)
}

// expectsMore reports whether the agent sends telemetry of its own.
func expectsMore(s *store.Session) bool {
	return ownSpans(s) || (s.Agent.Sources | s.Agent.Expected).Has(store.FromLogs)
}

// finishWait is the time after a finish of the Inspector with levels still open until the
// session has ended with it, if nothing comes but heartbeats that count nothing: a
// cancelled workflow sends no finish.
const finishWait = time.Minute

// awaitFinish holds the end of an Inspector's session at that time, until something comes
// or [finishWait] is over. An end that is held already stays: an agent's session does not
// give it up.
func (tx *ends) awaitFinish(s *store.Session, env *event.Envelope, at int64) {
	if heldEnd(s) != nil {
		return
	}
	c := tx.store.NewCall(s)
	c.Kind, c.Source, c.Method, c.Version = event.AgentTurn, event.Inspector, mcpconv.SpanTurn, "2.0"
	c.Start, c.RoundStart, c.Arrival, c.ProgressArrival, c.LastProgress = at, at, env.Arrival, env.Arrival, at
	c.Turn, c.Dropped, c.Deadline = &store.Turn{Last: at}, true, tx.store.Now()+int64(finishWait)
	c.Key = store.CallKey{Connection: intern(s, env.Scope()), ID: store.GeneratedID + endingKey + `"`, FromClient: true}
	c.Parked = store.ParkKey{Kind: store.ParkedTurn, ID: endingKey}
	c.Bytes = c.CallRecord.Bytes()
	tx.store.Open(s, c)
}

// goesOn gives up an end that is held of a session that is no agent's.
func (tx *ends) goesOn(s *store.Session) {
	if c := heldEnd(s); c != nil && s.Agent == nil {
		tx.store.Close(s, c)
	}
}

// heldEnd is the end of the session that is held, nil if there is none.
func heldEnd(s *store.Session) *store.Call {
	return s.Parked[store.ParkKey{Kind: store.ParkedTurn, ID: endingKey}]
}

// endDeferred ends the session if its end is held, at the time when it ended.
func (tx *turns) endDeferred(s *store.Session) {
	if c := heldEnd(s); c != nil {
		tx.store.Close(s, c)
		tx.ends.end(s, c.Turn.Last, mcpconv.EndFinished)
	}
}

// closeTurns ends the turns, after what is in them.
func (tx *ends) closeTurns(s *store.Session, at int64) {
	for _, c := range s.CallsInOrder() {
		switch {
		case c.Parked.ID == endingKey:
			tx.store.Close(s, c)
		case c.Over():
			tx.joins.emitPending(s, c)
		case !c.Turn.Prompted:
			tx.store.Close(s, c)
		case s.Agent.Sources.Has(store.FromHooks):
			tx.calls.close(s, c, CallEnd{Time: at, Incomplete: true})
		default: // the agent does not report the ends of turns, or none that was seen
			tx.calls.close(s, c, CallEnd{Time: min(at, max(c.Turn.Last, c.Start))})
		}
	}
}

// gone ends a session whose agent does not run any more. What its agent reported of the
// end comes first.
func (tx *ends) gone(ctx context.Context, env *event.Envelope) error {
	entry, err := tx.store.Touch(ctx, store.BySession, env.Session)
	if err != nil {
		return err
	}
	if s := entry.Session(); s != nil && s.Open() && heldEnd(s) == nil {
		tx.end(s, s.Last, mcpconv.EndGone)
	}
	return nil
}

// hostRoot is the root of the host's own session, if it is known.
func (tx *ends) hostRoot(s *store.Session) identity.Context {
	if s.HostID == "" || s.HostID == s.ID || !tx.store.Knows(s.HostID) {
		return identity.Context{}
	}
	trace := identity.Trace(tx.opt.Namespace, s.HostID)
	return identity.Context{Trace: trace, Span: identity.Span(trace, identity.Session)}
}

// finish ends what cannot outlive the body: the calls of messages that belong to
// neither a session nor a connection. It comes before Commit.
func (tx *ends) finish() {
	if s := tx.store.Alone(); s != nil && s.Open() {
		tx.end(s, s.Last, mcpconv.EndClosed)
	}
	tx.rows.reportRows()
}

// endDue reports what does not move, and ends what is due.
func (tx *ends) endDue(d *store.Due) {
	for _, c := range d.Stuck {
		tx.stalls.stick(c)
	}
	for _, found := range d.Stalled {
		tx.stalls.stall(found.Session, found.Alive, found.After)
	}
	for _, found := range d.Revived {
		tx.stalls.revive(found.Session, found.Alive)
	}
	tx.endEvicted(d.Evicted)
	for _, s := range d.Idle {
		reason := mcpconv.EndIdle
		if s.GivenUp() { // nobody has seen to it
			reason = mcpconv.EndStalled
		}
		tx.end(s, s.Last, reason)
	}
	for _, c := range d.Expired {
		tx.expire(c)
	}
	for _, c := range d.Timed {
		tx.timeOut(c)
	}
	for _, c := range d.Excess {
		tx.evictCall(c)
	}
}

// endEvicted ends sessions that had to make room.
func (tx *ends) endEvicted(sessions []*store.Session) {
	for _, s := range sessions {
		tx.end(s, s.Last, mcpconv.EndEvicted)
		if !s.Connection {
			tx.store.Count(SessionEvicted)
		}
	}
}

// timeOut ends a call that is open for too long.
func (tx *ends) timeOut(c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.IdleOffset += tx.store.Now() - s.Arrival
	s.Arrival = tx.store.Now()
	if c.Method != mcpconv.MethodPing {
		s.Heard = tx.store.Now() // the host waited until now
	}
	tx.calls.close(s, c, CallEnd{Time: s.Latest(), Incomplete: true, Outcome: outcomeTimedOut(tx.opt.CallTimeout)})
}

// evictCall ends a call that had to make room.
func (tx *ends) evictCall(c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	s.Heard = tx.store.Now()
	if c.Kind == event.AgentTurn && !c.Turn.Prompted {
		tx.store.Close(s, c)
	} else {
		tx.joins.emit(s, c, CallEnd{Time: s.Latest(), Incomplete: true})
	}
	tx.store.Count(CallEvicted)
}

// expire ends a call at its task's deadline: nobody asked for the result, or the
// task is not kept any longer.
func (tx *ends) expire(c *store.Call) {
	if c.Ended {
		return
	}
	s := c.Session()
	switch {
	case c.Parked.ID == endingKey:
		tx.turns.endDeferred(s)
		return
	case c.Over():
		tx.joins.expirePending(s, c)
		return
	}
	s.Heard = tx.store.Now()
	if c.TaskEnd != 0 {
		tx.calls.close(s, c, CallEnd{Time: c.TaskEnd, Outcome: outcomeOfTask(&c.CallRecord)})
		return
	}
	tx.calls.close(s, c, CallEnd{Time: s.Latest(), Incomplete: true, Outcome: Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: "the task's time to live is over",
	}})
}

// absorb ends the session of a sub-agent, or of a server, that turns out to be part of s, which
// then counts what it did. Its spans stay where they are. agent is the
// sub-agent's id, "" if the part is of the main thread.
func (tx *ends) absorb(s, part *store.Session, agent string) {
	tx.endAs(part, part.Last, mcpconv.EndFinished, &s.SessionRecord)
	accounts := map[correlate.Account]correlate.Account{}
	if part.Facts != nil {
		merged := tx.store.Facts(s).Absorb(part.Facts.Set, agent, func(from, to correlate.Account) { accounts[from] = to })
		for range merged {
			tx.store.Count(FactsMerged)
		}
	}
	s.Summary.Absorb(&part.Summary)
	if part.Agent == nil {
		return
	}
	own := editAgent(s)
	before := own.Done.Bytes()
	for _, f := range part.Agent.Done { // its other sources may report it again
		f.Account = accounts[f.Account]
		own.Done = own.Done.With(f)
	}
	s.Held += own.Done.Bytes() - before
}
