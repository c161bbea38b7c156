package session

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/prices"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// isFact reports whether what the call counts is a fact: what agents report of themselves,
// and calls of tools on the wire.
func isFact(c *store.Call) bool { return c.OfAgent() || c.Kind == event.ToolCall }

// reported takes what an agent reports of itself, and returns what that is about.
func (tx *reports) reported(s *store.Session, env *event.Envelope, e event.Event) subject {
	r, ok := correlate.FromEvent(env, e)
	if !ok {
		return subject{left: -1}
	}
	if !r.HasCost && r.HasUsage && (r.Kind == correlate.ModelCall || r.Kind == correlate.Turn) {
		used, at := prices.Usage(r.Usage), cmp.Or(r.Start, r.End)
		model := cmp.Or(r.Alias, r.Name)
		if model == "" && s.Agent != nil {
			model = s.Agent.Model
		}
		if r.Kind == correlate.Turn {
			r.Cost, r.HasCost = tx.agentOpt.Prices.Calls(model, &used, at)
		} else {
			r.Cost, r.HasCost = tx.agentOpt.Prices.Call(model, &used, at)
		}
		r.Priced = true
	}
	return subjectOf(s, tx.add(s, &r))
}

// add adds a report to the facts of its session. A connection has facts only of an agent.
func (tx *reports) add(s *store.Session, r *correlate.Report) correlate.Change {
	if s.Connection && s.Agent == nil {
		return correlate.Change{}
	}
	if !tx.opt.KeepPayloads {
		r.Text = correlate.Conceal(r.Text)
	}
	how := tx.store.Facts(s).Add(r)
	for range how.Gone {
		tx.store.Count(FactsMerged)
	}
	if !s.Open() && how.Status != correlate.Repeated && how.Status != correlate.Invalid {
		tx.store.Late(s)
	}
	return how
}

// asked takes the request of a tool's call that was seen on the wire, before that is open.
func (tx *reports) asked(s *store.Session, c *store.Call) {
	if !c.Dropped && !c.OfAgent() && c.Kind == event.ToolCall {
		if own := senderOfMessage(s, c); own != nil && own.GivenToolID() != "" {
			c.Use = cmp.Or(own.Use, own.Key.ID)
			c.Bytes += int64(len(c.Use))
		}
		r := onWire(c)
		r.Stage = correlate.Begin
		c.Account = tx.add(s, &r).Account
	}
}

// senderOfMessage returns the agent's call whose span the message names as its parent, nil if
// that is not open, or of another tool: one that calls others is another fact than those.
func senderOfMessage(s *store.Session, c *store.Call) *store.Call {
	if c.Use != "" || s.Agent == nil || !c.Context.Valid() || len(s.Calls) > store.NestedMax {
		return nil
	}
	for _, own := range s.Calls {
		if own.OfAgent() && own.Kind == event.ToolCall && c.Context.Span == own.Span && c.Context.Trace == own.Trace &&
			correlate.SameTool(own.ToolName(), c.Target) {
			return own
		}
	}
	return nil
}

// answered takes its end.
func (tx *reports) answered(s *store.Session, c *store.Call, end *CallEnd) {
	if c.Dropped || c.OfAgent() || c.Kind != event.ToolCall || end.Native != nil {
		return
	}
	r := onWire(c)
	r.End = end.Time
	switch {
	case end.Outcome.Failed:
		r.Outcome, r.Text = correlate.Failed, end.Outcome.Message
	case !end.Incomplete:
		r.Outcome = correlate.OK
	}
	tx.add(s, &r)
}

// onWire returns what a message says of a call.
func onWire(c *store.Call) correlate.Report {
	r := correlate.Report{
		Source: correlate.Wire, Kind: correlate.ToolCall, Start: c.Start, AnyThread: true, Parent: correlate.NewID(correlate.SpanID, c.Parent.String()),
	}
	if r.IDs[0] = correlate.NewID(correlate.CallID, cmp.Or(event.JSON(c.Use).Str(), c.ToolID)); r.IDs[0] == 0 {
		r.IDs[0] = correlate.NewID(correlate.MessageID, c.Span.String())
	}
	if !c.IsUpdate() { // whose title is payload
		r.Name = c.Target
	}
	return r
}

// spawned adds the start of a sub-agent that a host reported.
func (tx *reports) spawned(s *store.Session, a *store.Agent) {
	tx.add(s, &correlate.Report{
		Source: correlate.Wire, Kind: correlate.Agent, Stage: correlate.Begin, Start: a.Start, Name: a.Type, IDs: idsOf(a),
	})
}

// idsOf returns the ids of a sub-agent of which a host told, which may use one again.
func idsOf(a *store.Agent) [3]correlate.ID {
	return [...]correlate.ID{correlate.NewID(correlate.MessageID, a.Span.String()), correlate.NewID(correlate.AgentID, a.ID), 0}
}

// completed adds the end of a sub-agent that a host reported.
func (tx *reports) completed(s *store.Session, a *store.Agent, end *AgentEnd) {
	r := correlate.Report{
		Source: correlate.Wire, Kind: correlate.Agent, Start: a.Start, End: end.Time, Name: a.Type, Outcome: correlate.OK, IDs: idsOf(a),
	}
	if end.Outcome.Failed {
		r.Outcome, r.Text = correlate.Failed, end.Outcome.Message
	}
	tx.add(s, &r)
}
