package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// resolved reports whether no source better than that of the report is expected.
func (tx *joins) resolved(s *store.Session, c *store.Call) bool {
	switch by := c.Report.By; {
	case tx.agentOpt.JoinWait == 0, by == event.AgentSpan:
		return true
	case s.Agent.SpanSource == event.AgentSpan, s.Agent.SpanSource == event.Wire:
		return false
	case c.Kind == event.ModelCall: // hooks do not report them
		return true
	case (c.Kind == event.AgentTurn || c.Report.Unclosed) && !c.Sources().Has(store.FromLogs):
		return !(s.Agent.Sources | s.Agent.Expected).Has(store.FromLogs) // which know tokens, and who refused
	default:
		return store.Rank(by) >= store.Rank(s.Agent.SpanSource)
	}
}

// reported merges a report of a call that is not its end.
func (tx *joins) reported(c *store.Call, source event.Source, r store.Report) {
	before := c.AgentBytes()
	tx.store.Edit(c)
	c.Report = store.Merge(c.Report, r, source)
	tx.store.Grow(c, c.AgentBytes()-before)
	tx.aboutCall(c)
}

// ended merges a report of the end of a call. The call is emitted if no better source
// is expected, or if the report is the agent's own span; else it is pending.
func (tx *joins) ended(s *store.Session, c *store.Call, a *event.SelfReport, r store.Report) {
	held := c.Over()
	r.Over = true
	tx.reported(c, a.Source, r)
	if a.Native.Valid() {
		c.Start = a.Native.Start
	}
	if !held { // its turn may leave before it does
		tx.calls.countInTurn(s, c, r.End)
		unask(s, c)
	}
	switch {
	case a.Native.Valid():
		end := CallEnd{Native: &a.Native, Announced: c.Span}
		c.Trace, c.Span, c.Parent, c.Remote = a.Native.Trace, a.Native.Span, a.Native.Parent, true
		tx.emitReported(s, c, end)
	case tx.resolved(s, c):
		tx.emitPending(s, c)
	case !held:
		tx.resolveParent(s, c)
		tx.stalls.noteProgress(c, max(r.End, c.Start)) // it does not wait for anything any more
		tx.store.SetDeadline(c, tx.store.Now()+int64(tx.agentOpt.JoinWait))
	}
}

// emitPending emits a pending call.
func (tx *joins) emitPending(s *store.Session, c *store.Call) {
	if c.Parked.Kind == store.ParkedAgent {
		tx.subAgents.emitDeferred(s, c, nil, Outcome{})
		return
	}
	tx.emitReported(s, c, CallEnd{})
}

// emit emits a call: as its agent reported it if it is pending, else with end.
func (tx *joins) emit(s *store.Session, c *store.Call, end CallEnd) {
	if c.Over() {
		tx.emitPending(s, c)
		return
	}
	tx.calls.close(s, c, end)
}

// emitReported emits a call as its agent reported it. as has the span that it gets.
func (tx *joins) emitReported(s *store.Session, c *store.Call, as CallEnd) {
	if c.Model != nil {
		tx.usage.price(s, c)
	}
	end := ending(c)
	end.Native, end.Announced = as.Native, as.Announced
	tx.calls.close(s, c, end)
}

// ending returns the end of a call as its agent reported it.
func ending(c *store.Call) CallEnd {
	r := c.Report
	end := CallEnd{Time: r.End, Incomplete: r.Unclosed && !r.Failed, Outcome: Outcome{
		Failed: r.Failed, Code: r.Code, Type: r.Type, Message: r.Text,
	}}
	if c.Kind == event.ToolCall {
		end.Use = &event.ToolUse{Duration: event.JSON(r.Duration), Output: event.JSON(r.Output)}
	}
	return end
}

// expirePending emits a call for which no better source came in time. The sources seen
// by then decide the span source of the session, until a better one appears.
func (tx *joins) expirePending(s *store.Session, c *store.Call) {
	if s.Agent.SpanSource != event.Wire {
		tx.emitPending(s, c)
		return
	}
	maker := event.AgentLog
	if s.Agent.Sources.Has(store.FromHooks) {
		maker = event.Hook
	}
	editAgent(s).SpanSource = maker
	tx.emitPending(s, c)
	tx.emitResolved(s)
}

// resolve sets the span source of the session, unless it has a better one, and emits
// what was pending for it.
func (tx *joins) resolve(s *store.Session, maker event.Source) {
	if store.Rank(maker) <= store.Rank(s.Agent.SpanSource) {
		return
	}
	editAgent(s).SpanSource = maker
	tx.emitResolved(s)
}

// emitResolved emits what was pending for a source better than the session's.
func (tx *joins) emitResolved(s *store.Session) {
	var turns []*store.Call // after what is in them
	for _, c := range s.CallsInOrder() {
		switch {
		case !c.Over() || !tx.resolved(s, c):
		case c.Kind == event.AgentTurn:
			turns = append(turns, c)
		default:
			tx.emitPending(s, c)
		}
	}
	for _, c := range turns {
		tx.emitPending(s, c)
	}
}

// late takes the end of a call that has left, as c has it: what the call's fact gained is
// news. The agent's own span of it passes, marked as a duplicate.
func (tx *joins) late(s *store.Session, a *event.SelfReport, about subject, c *store.Call) {
	left := s.Agent.Done[about.left]
	if about.again() && (!a.Native.Valid() || left.Span == a.Native.Span) {
		tx.store.Count(Repeated)
	}
	news, failed := tx.gained(s, c, &left)
	editAgent(s).Done = s.Agent.Done.Set(about.left, left)
	if !a.Native.Valid() {
		if failed || news.Used != (event.Usage{}) || news.Cost != 0 {
			tx.amend(s, c, &news, failed)
		}
		tx.aboutFact(&left)
		return
	}
	c.Trace, c.Span, c.Parent, c.Start = a.Native.Trace, a.Native.Span, a.Native.Parent, a.Native.Start
	tx.lastEnd = ending(c)
	tx.lastEnd.Session, tx.lastEnd.Call, tx.lastEnd.Native, tx.lastEnd.News = c.Of, &c.CallRecord, &a.Native, &news
	if left.Span != a.Native.Span {
		tx.lastEnd.Duplicate = left.Span
	}
	tx.sink.CallEnded(&tx.lastEnd)
}

// gained returns what the fact of the call has that its span, which left, did not say, and
// notes that it is said.
func (tx *joins) gained(s *store.Session, c *store.Call, left *store.Fact) (news event.Amendment, failed bool) {
	f := factOf(s, c.Account)
	news.Span = left.Span
	failed = f.Outcome >= correlate.Failed && !left.Failed && c.Kind != event.AgentTurn
	left.Failed = left.Failed || failed
	if c.Model == nil {
		return news, failed
	}
	c.Model = tx.usage.priced(s, c)
	now, said := *c.Model, store.Model{HasCost: left.Paid, Cost: left.Estimate, Priced: left.Estimate > 0}
	now.Usage, now.HasUsage = store.Usage(f.Usage), f.HasUsage
	if news.Model, news.Answered, news.Provider = c.Target, now.Answered, now.Provider; left.Counted {
		said.Usage = now.Usage
	} else {
		news.Window, news.Estimated = now.Window, now.Estimated
	}
	used, cost := tx.usage.spend(s, c.Start, &said, &now)
	news.Used, news.Cost, news.Priced = event.Usage(used), cost, now.Priced
	left.Say(&now)
	return news, failed
}

// amend records what is new about a call already emitted, whose span cannot change.
func (tx *joins) amend(s *store.Session, c *store.Call, news *event.Amendment, failed bool) {
	env := event.Envelope{Arrival: tx.store.Now(), Time: c.Report.End, Session: s.ID, Client: c.Client, Direction: event.FromClient}
	n := event.Notice{
		Source: event.AgentLog, Name: mcpconv.SpanAmended, StableID: news.Span.String(), FromClient: true, Detail: news,
	}
	extra := noticeExtra{}
	if failed {
		extra.Outcome = ending(c).Outcome
	}
	if c.Kind == event.ToolCall {
		news.Call, news.Tool = c.GivenToolID(), c.ToolName()
		news.Decision, news.Decider = c.Report.Decision, c.Report.Decider
	}
	tx.notices.record(s, &env, &n, &extra)
}

// remember notes that the call was emitted.
func remember(s *store.Session, c *store.Call) {
	done := store.Fact{Trace: c.Trace, Span: c.Span, Account: c.Account, Failed: c.Report != nil && c.Report.Failed}
	done.Counted = c.Kind == event.ToolCall && !c.OwnTool()
	if c.Model != nil {
		done.Say(c.Model)
	}
	leave(s, done)
}

// leave keeps that something left.
func leave(s *store.Session, done store.Fact) {
	before := s.Agent.Done.Bytes()
	editAgent(s).Done = s.Agent.Done.With(done)
	s.Held += s.Agent.Done.Bytes() - before
}

// resolveParent sets the parent of an agent's call before it is emitted: the sub-agent
// that made it, else the turn.
func (tx *joins) resolveParent(s *store.Session, c *store.Call) {
	if c.Remote || c.Kind == event.AgentTurn || s.Connection {
		return
	}
	if a := openAgent(s, c.SubAgent); a != nil && c.SubAgent != "" {
		tx.store.Edit(c)
		c.Trace, c.Parent = a.Trace, a.Span
		return
	}
	parent := c.Parent
	if ownSpans(s) { // whose turns have spans of the agent's own
		if c.SubAgent == "" {
			parent = s.Root
		}
	} else if t := turnAt(s, c.Start); parent == s.Root && t != nil && t.Turn.Prompted {
		parent = t.Span
	}
	if parent != c.Parent && c.Trace == s.Trace {
		tx.store.Edit(c)
		c.Parent = parent
	}
}
