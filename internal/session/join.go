package session

import (
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

// mergeLate merges a report into a call already emitted. The agent's own span of it
// passes, marked as a duplicate.
func (tx *joins) mergeLate(s *store.Session, at int, a *event.SelfReport, c *store.Call) {
	f := s.Agent.Done[at]
	if f.Reported.Has(store.SourceOf(a.Source)) && (!a.Native.Valid() || f.Span == a.Native.Span) {
		tx.store.Count(Repeated)
	}
	f.Reported |= store.SourceOf(a.Source)
	news := event.Amendment{Span: f.Span}
	if c.Model != nil {
		c.Model = tx.usage.pricedModel(s, c, f.Reported)
		m := c.Model
		if !f.Used {
			news.Used, news.Window, news.Estimated = event.Usage(m.Usage), m.Window, m.Estimated
		}
		if !f.Paid && m.HasCost {
			news.Cost = m.Cost
		}
		tx.usage.spend(s, c.Start, m, store.Usage(news.Used), !f.Paid && m.HasCost)
		switch reported := m.HasCost && !m.Priced; {
		case !f.Paid && m.Priced:
			news.Priced, f.Estimate = true, m.Cost
		case f.Estimate > 0 && reported:
			news.Cost = m.Cost - f.Estimate
			tx.usage.replace(s, c.Start, f.Estimate, m.Cost)
			f.Estimate = 0
		}
		f.Used, f.Paid = f.Used || m.HasUsage, f.Paid || m.HasCost
		news.Model, news.Answered, news.Provider = c.Target, m.Answered, m.Provider
	}
	failed := c.Report.Failed && !f.Failed && c.Kind != event.AgentTurn
	f.Failed = f.Failed || failed
	editAgent(s).Done = s.Agent.Done.Set(at, f)
	if !a.Native.Valid() {
		if failed || news.Used != (event.Usage{}) || news.Cost != 0 {
			tx.amend(s, c, &news, failed)
		}
		tx.aboutFact(&f)
		return
	}
	c.Trace, c.Span, c.Parent, c.Start = a.Native.Trace, a.Native.Span, a.Native.Parent, a.Native.Start
	tx.lastEnd = ending(c)
	tx.lastEnd.Session, tx.lastEnd.Call, tx.lastEnd.Native, tx.lastEnd.News = c.Of, &c.CallRecord, &a.Native, &news
	if f.Span != a.Native.Span {
		tx.lastEnd.Duplicate = f.Span
	}
	tx.sink.CallEnded(&tx.lastEnd)
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
	done := store.Fact{Trace: c.Trace, Span: c.Span, Reported: c.Sources(), Account: c.Account}
	if c.Report != nil {
		done.Failed, done.Unclosed = c.Report.Failed, c.Report.Unclosed
	}
	if m := c.Model; m != nil {
		done.Used, done.Paid = m.HasUsage, m.HasCost
		if m.Priced {
			done.Estimate = m.Cost
		}
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
