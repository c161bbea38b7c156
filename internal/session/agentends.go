package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Some agents report the end of a sub-agent by a hook, and by a span of their own that
// comes later and does not know the id that hooks have. As of a call, the end is pending until
// the span comes: it stands among the open calls, which have deadlines, and the sub-agent
// stays open. The spans of other agents do not tell of sub-agents.

// awaitsSpan reports whether a sub-agent's own span may still come.
func (tx *subAgents) awaitsSpan(s *store.Session, source event.Source) bool {
	if s.Agent == nil || source != event.Hook || tx.agentOpt.JoinWait == 0 {
		return false
	}
	client, _ := s.Names()
	return tx.traits(client).SubAgentSpansComeLate && (s.Agent.SpanSource == event.AgentSpan || s.Agent.SpanSource == event.Wire)
}

// deferEnd keeps the end of a sub-agent until its span comes.
func (tx *subAgents) deferEnd(s *store.Session, a *store.Agent, end *AgentEnd, source event.Source) {
	c := tx.store.NewCall(s)
	c.Kind, c.Dropped, c.SubAgent = event.AgentPrompt, true, a.ID
	c.Trace, c.Span, c.Parent, c.Context = a.Trace, a.Span, a.Parent, end.Context
	c.Start, c.RoundStart, c.LastProgress = a.Start, a.Start, end.Time
	c.Arrival, c.ProgressArrival, c.Deadline = tx.store.Now(), tx.store.Now(), tx.store.Now()+int64(tx.agentOpt.JoinWait)
	c.Key = store.CallKey{ID: store.GeneratedID + a.Span.String() + `"`, FromClient: true}
	c.Parked = agentKey(a)
	c.Invalid = strings.Clone(end.Invalid)
	e := end.Completed
	c.Report = &store.Report{
		Reported: store.SourceOf(source), By: source, Over: true, End: max(end.Time, a.Start),
		Failed: end.Outcome.Failed, Code: end.Outcome.Code, Type: end.Outcome.Type,
		Duration: strings.Clone(string(e.Duration)), Name: strings.Clone(string(e.Outcome)), Decision: strings.Clone(string(e.Tokens)),
	}
	if tx.opt.KeepPayloads {
		c.Report.Output = strings.Clone(end.Params)
	}
	c.Bytes = c.CallRecord.Bytes()
	tx.store.Open(s, c)
}

func agentKey(a *store.Agent) store.ParkKey {
	return store.ParkKey{Kind: store.ParkedAgent, ID: a.Span.String()}
}

// pendingEnd returns the pending end of the sub-agent, nil if there is none.
func pendingEnd(s *store.Session, a *store.Agent) *store.Call {
	if a == nil {
		return nil
	}
	return s.Parked[agentKey(a)]
}

// emitDeferred ends a sub-agent whose end is pending, as its agent reported it, with the
// agent's own span and its failure if that came.
func (tx *subAgents) emitDeferred(s *store.Session, c *store.Call, native *event.Native, failed Outcome) {
	tx.store.Close(s, c)
	r := c.Report
	end := AgentEnd{
		Time: r.End, Native: native, Params: r.Output, Context: c.Context, Invalid: c.Invalid,
		Completed: &event.SubAgent{Outcome: event.JSON(r.Name), Duration: event.JSON(r.Duration), Tokens: event.JSON(r.Decision)},
		Outcome:   Outcome{Failed: r.Failed, Code: r.Code, Type: r.Type},
	}
	if failed.Failed {
		end.Outcome = failed
	}
	for _, a := range s.Agents {
		if c.Parked == agentKey(a) {
			rememberAgent(s, a, native)
			tx.closeAgent(s, a, end)
			return
		}
	}
}
