package correlate

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// FromEvent returns what an event that an agent reports of itself says of one thing; it is
// false for all other events. Messages on the wire are not among them: which call a reply
// belongs to depends on what was open, and the engine knows it.
func FromEvent(env *event.Envelope, e event.Event) (r Report, ok bool) {
	about, ok := e.(interface{ About() *event.SelfReport })
	if !ok {
		return r, false
	}
	self := about.About()
	switch self.Source {
	case event.Hook:
		r.Source = Hook
	case event.AgentLog:
		r.Source = Log
	case event.AgentSpan:
		r.Source = Span
	default:
		return r, false
	}
	r.Stage, r.Start, r.Parent = Begin, env.Time, NewID(PromptID, self.Turn)
	switch e := e.(type) {
	case *event.ToolStarted:
		r.tool(&e.Use)
		if r.Source != Hook {
			r.Stage = Decision
		}
	case *event.ToolNamed:
		r.tool(&e.Use)
		r.Stage = Decision
	case *event.ToolEnded:
		r.tool(&e.Use)
		if e.Use.OnWire {
			r.Source = Wire
		}
		r.ended(cmp.Or(e.Use.End, env.Time), e.Failed, e.Text)
		r.Start = e.Use.Start
		if ms, known := e.Use.Duration.Float(); r.Start == 0 && known && ms >= 0 && ms < float64(r.End)/1e6 {
			r.Start = r.End - int64(ms*1e6)
		}
		if e.Interrupted {
			r.Outcome = Interrupted
		}
	case *event.ToolDenied:
		r.tool(&e.Use)
		r.ended(cmp.Or(e.Use.End, env.Time), false, "")
		r.Start, r.Outcome, r.Verdict = e.Use.Start, Refused, Rejected
	case *event.ModelStarted:
		r.model(&e.Use)
		r.Start = cmp.Or(e.Use.Start, env.Time)
	case *event.ModelEnded:
		r.model(&e.Use)
		r.ended(cmp.Or(e.Use.End, env.Time), e.Failed, e.Text)
		r.Start = e.Use.Start
		if e.Interrupted {
			r.Outcome = Interrupted
		}
	case *event.AgentStarted:
		r.agent(&e.Agent)
	case *event.AgentEnded:
		r.agent(&e.Agent)
		if self.Native.Valid() && e.Agent.ID.Str() == self.Native.Span.String() { // the agent gave it none
			r.IDs = [maxIDs]ID{}
		}
		outcome := e.Agent.Outcome.Str()
		r.ended(env.Time, outcome == "error" || outcome == "timeout", "")
		r.Start = 0
	case *event.PromptSubmitted:
		r.turn(self.Turn)
		r.Internal = e.Unasked
	case *event.TurnEnded:
		r.turn(self.Turn)
		r.ended(env.Time, e.Failed, e.Text)
		r.Start = 0
	case *event.TurnUsed:
		r.turn(self.Turn)
		r.Stage = Decision
		r.Usage, r.HasUsage, r.Cost, r.HasCost = Usage(e.Usage), true, e.Cost, e.HasCost
	case *event.CompactionStarted:
		r.Kind = Compaction
	case *event.CompactionEnded:
		r.Kind = Compaction
		r.ended(env.Time, e.Failed, "")
		if r.Start = 0; e.Duration > 0 {
			r.Start = r.End - e.Duration
		}
	case *event.ApprovalRequested:
		r.Kind, r.Thread = Wait, e.SubAgent.Str()
	case *event.ApprovalAnswered:
		r.Kind = Wait
		r.ended(env.Time, false, "")
		r.Start = 0
	case *event.ServerChanged:
		if e.Status != "failed" {
			return r, false
		}
		r.Kind, r.Name, r.Parent = Connection, e.Server, 0
		r.add(NewID(ServerID, e.Server))
		r.ended(env.Time, true, e.Error)
	default:
		return r, false
	}
	if r.AnyThread = self.ThreadUnknown; r.AnyThread { // what names its sub-agent may name it as no other source does
		r.Thread = ""
	}
	if n := &self.Native; n.Valid() {
		if r.Source != Wire { // whose agent's call has another span
			r.add(NewID(SpanID, n.Span.String()))
		}
		r.Start, r.Parent = n.Start, NewID(SpanID, n.Parent.String())
		if n.Parent.IsZero() {
			r.Parent = 0
		}
		if ended, ok := e.(*event.TurnEnded); ok && ended.Unprompted {
			r.Start = 0
		}
		if r.Stage == Whole {
			r.End = n.End
		}
		if r.Outcome == OK { // a span that did not fail need not know how the call did
			r.Outcome = Unknown
		}
	}
	return r, true
}

// add adds an id.
func (r *Report) add(id ID) {
	for i := range r.IDs {
		if r.IDs[i] == 0 || r.IDs[i] == id {
			r.IDs[i] = id
			return
		}
	}
}

// ended sets that the thing has ended.
func (r *Report) ended(end int64, failed bool, text string) {
	if r.Stage, r.End, r.Outcome = Whole, end, OK; failed {
		r.Outcome, r.Text = Failed, text
	}
}

func (r *Report) tool(u *event.ToolUse) {
	r.Kind, r.Name, r.Alias = ToolCall, u.Tool.Str(), u.Name
	r.add(NewID(CallID, u.ID.Str()))
	r.within(u.SubAgent.Str())
	if r.Source != Log { // log records cut long inputs
		r.Digest = Digest(string(u.Input))
	}
	switch u.Decision {
	case "accept":
		r.Verdict = Accepted
	case "reject":
		r.Verdict = Rejected
	}
}

func (r *Report) model(u *event.ModelUse) {
	r.Kind, r.Name, r.Alias = ModelCall, u.Model, u.Answered
	r.add(NewID(RequestID, u.ID))
	r.add(NewID(ResponseID, u.ResponseID))
	r.within(u.SubAgent)
	r.Usage, r.HasUsage, r.Cost, r.HasCost, r.Internal = Usage(u.Usage), u.HasUsage, u.Cost, u.HasCost, u.Aside
}

func (r *Report) agent(a *event.SubAgent) {
	r.Kind, r.Name = Agent, a.Type.Str()
	r.add(NewID(AgentID, a.ID.Str()))
}

func (r *Report) turn(id string) {
	r.Kind, r.Parent = Turn, 0
	r.add(NewID(PromptID, id))
}

// within sets the sub-agent that did it.
func (r *Report) within(agent string) {
	if r.Thread = agent; agent != "" {
		r.Parent = NewID(AgentID, agent)
	}
}
