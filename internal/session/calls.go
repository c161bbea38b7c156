package session

import (
	"cmp"
	"strconv"
	"unsafe"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// open makes a call one of the session's open ones, with a span ID of its
// own, and reports it. A marker goes ahead if a person is asked.
func (tx *calls) open(s *store.Session, c *store.Call) {
	if c.OfAgent() {
		c.Span = identify(&c.CallRecord, "")
	} else {
		c.Span = tx.distinct(func(suffix string) identity.SpanID { return identify(&c.CallRecord, suffix) })
	}
	tx.reports.asked(s, c)
	tx.store.Open(s, c)
	if c.Dropped {
		return
	}
	tx.stalls.agentMoves(s, c, c.Start)
	start := CallStart{Session: c.Of, Call: &c.CallRecord}
	if c.Asks() {
		s.Spans++
		start.Marker = identity.Span(c.Trace, identity.Start, s.Identity, c.Span.String())
	}
	tx.sink.CallStarted(start)
}

// place gives the call its trace and parent: the context it names, else the
// open call it belongs to, else the root. about is the tool call that it names.
func (tx *calls) place(s *store.Session, c *store.Call, context identity.Context, about string) {
	c.Context = context
	if context.Valid() {
		c.Trace, c.Parent, c.Remote = context.Trace, context.Span, true
		return
	}
	if outer := cmp.Or(reportedBy(s, c), outerCall(s, c, about)); outer != nil {
		c.Trace, c.Parent, c.Remote = outer.Trace, outer.Span, outer.Remote
		return
	}
	c.Trace, c.Parent = traceOf(s)
}

// reportedBy is the agent's own call whose message the call is, nil if it is not open.
// An agent that sends spans of its own gives that call another span.
func reportedBy(s *store.Session, c *store.Call) *store.Call {
	if c.Use == "" || s.Agent == nil || s.Facts == nil || s.Agent.SpanSource == event.AgentSpan || s.Agent.Expected.Has(store.FromSpans) {
		return nil
	}
	if fact, ok := s.Facts.With(correlate.ToolCall, correlate.NewID(correlate.CallID, event.JSON(c.Use).Str())); ok {
		return s.CallOf(fact)
	}
	return nil
}

// outerCall is the open call that another belongs to, nil if that is not certain.
func outerCall(s *store.Session, c *store.Call, about string) *store.Call {
	if s.ACP && !c.Key.FromClient {
		return during(s, about)
	}
	return onlyCall(s, c)
}

// onlyCall is the client's call during which the server sent its request: on
// stdio that is certain only when there is just one.
func onlyCall(s *store.Session, c *store.Call) (only *store.Call) {
	const enough = 16 // open calls among which it is looked for
	if c.Key.FromClient || c.Transport != "stdio" || len(s.Calls) > enough {
		return nil
	}
	for _, outer := range s.Calls {
		if outer.Poll != nil { // what is asked meanwhile is asked for the task
			outer = s.Parked[*outer.Poll]
		}
		if outer == nil || !outer.Key.FromClient || outer.Key.Connection != c.Key.Connection || outer.Dropped {
			continue
		}
		if only != nil {
			return nil
		}
		only = outer
	}
	return only
}

// during is the call that something an ACP agent sent belongs to: the tool call
// that it names, else the prompt that it works on; nil if there is neither.
func during(s *store.Session, toolCall string) *store.Call {
	if c := parkedBy(s, store.ParkedTool, "", toolCall, false); c != nil {
		return c
	}
	return prompt(s)
}

// prompt is the newest open session/prompt, nil if the agent is not at work.
func prompt(s *store.Session) (newest *store.Call) {
	if !s.ACP {
		return nil
	}
	for _, c := range s.Calls {
		if c.Kind == event.AgentPrompt && (newest == nil || store.InOrder(c, newest) > 0) {
			newest = c
		}
	}
	return newest
}

// parkedBy is the parked call with that key, nil if there is none.
func parkedBy(s *store.Session, kind store.ParkKind, connection, id string, fromClient bool) *store.Call {
	if id == "" || len(s.Parked) == 0 {
		return nil
	}
	return s.Parked[store.ParkKey{Kind: kind, Connection: connection, ID: id, FromClient: fromClient}]
}

// identify derives the span ID. The start is in it, so that an id may be used again.
// suffix makes it another one.
func identify(c *store.CallRecord, suffix string) identity.SpanID {
	direction, parent := "client_to_server", ""
	if !c.Key.FromClient {
		direction = "server_to_client"
	}
	if c.Remote {
		parent = c.Parent.String()
	}
	var digits [20]byte
	start := strconv.AppendInt(digits[:0], c.Start, 10)
	return identity.Span(c.Trace, identity.Call, c.Key.Connection, direction, c.Key.ID, parent, unsafe.String(&start[0], len(start))+suffix)
}

// close ends a call and reports it. Time, Reply, Use, Outcome and what else
// is known of the end are in end.
func (tx *calls) close(s *store.Session, c *store.Call, end CallEnd) {
	tx.waits.endOfCall(s, c, end.Time, "", end.Incomplete)
	unask(s, c)
	tx.inBand.rememberTrace(s, c)
	tx.store.Close(s, c)
	f := factOf(s, c.Account)
	end.Late, end.Measured = f.Late, measured(s, c, &f, end.Native != nil)
	if c.OfAgent() && s.Agent != nil {
		tx.joins.resolveParent(s, c)
		remember(s, c)
		if !c.Over() {
			tx.countInTurn(s, c, end.Time)
		}
	}
	if c.Dropped {
		return
	}
	end.Session, end.Call, end.Time, end.Invalid = c.Of, &c.CallRecord, max(end.Time, c.Start), cmp.Or(end.Invalid, c.Invalid)
	end.Peer = peer(s, c)
	if !end.Incomplete {
		tx.stalls.returned(c, end.Time)
		tx.stalls.answeredAt(s, c, end.Time)
		tx.stalls.agentMoves(s, c, end.Time)
	}
	s.Spans++
	tx.reports.answered(s, c, &end)
	tx.countCall(s, c, &end)
	if c.Asks() {
		s.Summary.WaitingNs += end.Time - c.Start
	}
	if end.Native == nil {
		s.Contain(c.Trace, c.Start, end.Time)
	}
	tx.lastEnd = end
	tx.sink.CallEnded(&tx.lastEnd)
}

// countCall counts a call that is no fact, and its failure.
func (tx *calls) countCall(s *store.Session, c *store.Call, end *CallEnd) {
	fact := isFact(c)
	if !fact {
		countKind(&s.Summary, c.Kind)
	}
	if !end.Outcome.Failed || c.OfAgent() || c.Explained {
		return
	}
	if !fact {
		tx.countError(s, end.Time, end.Outcome.Message)
	}
	if p := prompt(s); p != nil && p.Span == c.Parent {
		tx.store.Edit(p)
		p.Explained = true
	}
}

func countKind(u *store.Summary, kind event.CallKind) {
	switch kind {
	case event.ToolCall:
		u.ToolCalls++
	case event.AgentPrompt:
		u.Agents++
	case event.ModelCall:
		u.LLMCalls++
	case event.ResourceRead:
		u.Resources++
	case event.PromptGet:
		u.Prompts++
	}
}

// countInTurn counts the call in its turn.
func (tx *calls) countInTurn(s *store.Session, c *store.Call, at int64) {
	if c.Kind == event.AgentTurn {
		return
	}
	tx.usage.inTurn(s, c.Start, at, func(t *store.Turn) {
		switch c.Kind {
		case event.ToolCall:
			t.Tools++
		case event.ModelCall:
			t.Models++
			if c.Model == nil || !c.Model.Aside {
				t.Failed = c.Report != nil && c.Report.Failed
			}
		}
	})
}

// unask notes that nobody is asked for a call any more.
func unask(s *store.Session, c *store.Call) {
	if s.Agent == nil || len(s.Agent.Asking) == 0 {
		return
	}
	agent := *s.Agent
	if agent.Asking = agent.Asking.Without(c.OpenKey()); len(agent.Asking) < len(s.Agent.Asking) {
		s.Agent = &agent
	}
}
