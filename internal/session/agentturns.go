package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// turnEvent takes an event that is recorded as it is, and what else it causes.
func (tx *agentTurns) turnEvent(s *store.Session, env *event.Envelope, e event.Event, a *event.SelfReport, about subject) {
	outcome := Outcome{}
	ended, isEnd := e.(*event.TurnEnded)
	if isEnd && ended.Failed {
		outcome = turnFailure(ended)
	}
	if _, last := e.(*event.SessionEnded); last && !s.Open() {
		return
	}
	tx.selfReports.note(s, env, a, outcome)
	if !s.Open() {
		return
	}
	switch e := e.(type) {
	case *event.SessionStarted:
		tx.About.Span = s.Root
		if s.In(mcpconv.PhaseCompacting) && leads(s, a.Source) {
			tx.pauses.leavePause(s, env.Time)
		}
	case *event.SessionEnded:
		tx.About.Span = s.Root
		tx.turns.deferEnd(s, env, a)
	case *event.TurnEnded:
		tx.turnEnded(s, env, e, outcome, about)
	case *event.CompactionEnded:
		tx.pauses.compacted(s, env, e)
	case *event.ApprovalAnswered:
		tx.pauses.approvalAnswered(s, env, e)
	default:
		if leads(s, a.Source) {
			tx.pauses.paused(s, env, e)
		}
	}
}

// turnFailure returns the outcome of a turn that an error of the model's API ended.
func turnFailure(e *event.TurnEnded) Outcome {
	kind := strings.Clone(jsonscan.Cut(e.Type, peerBytes))
	if kind == "" {
		kind = mcpconv.TypeOther
	}
	return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: kind, Message: e.Text}
}

// promptSubmitted takes what a person asked the agent to do. Whatever its main
// thread was about is over.
func (tx *agentTurns) promptSubmitted(s *store.Session, env *event.Envelope, e *event.PromptSubmitted, about subject) {
	tx.phases.keepTask(s, e.Prompt.Str())
	if !e.Native.Valid() {
		client, _ := s.Names()
		tx.prompts.add(prompter{tx.Tenant, client}, s.ID, env.Time)
	}
	if s.Agent.Input == "" && tx.opt.KeepPayloads {
		s.Agent.Input = strings.Clone(string(e.Prompt))
		s.Held += int64(len(e.Prompt))
	}
	tx.selfReports.note(s, env, &e.SelfReport, Outcome{})
	if !tx.turnStarted(s, env, e, about) {
		return
	}
	if leads(s, e.Source) {
		at := env.Time
		if e.Native.Valid() { // the span of a turn comes when that is over
			at = began(e.Native.Start, env.Time)
		}
		tx.turn(s, at, &e.SelfReport, mcpconv.PhaseWorking)
	}
}

// turnStarted opens a turn; it is false if the prompt is one that was seen before.
func (tx *agentTurns) turnStarted(s *store.Session, env *event.Envelope, e *event.PromptSubmitted, about subject) bool {
	a, start := &e.SelfReport, env.Time
	if a.Native.Valid() {
		start = began(a.Native.Start, env.Time)
		s.Start = min(s.Start, start)
	}
	switch known := about.call; {
	case known != nil && a.Source == event.Hook && known.Sources().Has(store.FromHooks):
		tx.store.Count(Repeated)
		return false
	case known != nil:
		tx.turns.prompted(known, e)
		return !known.Over() && a.Source == event.Hook
	case about.left >= 0:
		tx.joins.aboutDone(s, about.left)
		return false
	case e.Unasked && s.Agent.Sources.Has(store.FromHooks):
		return false
	}
	if open := openTurn(s); open != nil && !leads(s, a.Source) && a.Turn == "" && !a.Native.Valid() {
		tx.turns.prompted(open, e) // which a hook reported when it began
		return false
	}
	if open := openTurn(s); open != nil && a.Source != event.Hook && start < open.Start {
		return false // an older one, of which nothing is known any more
	}
	tx.turns.prompted(tx.turns.start(s, env, a, start, about), e)
	return true
}

// turnEnded takes the end of a turn: the agent waits for the next prompt.
func (tx *agentTurns) turnEnded(s *store.Session, env *event.Envelope, e *event.TurnEnded, outcome Outcome, about subject) {
	c := about.call
	if c == nil && about.left < 0 && !e.Native.Valid() {
		if c = openTurn(s); c != nil && c.Start > env.Time { // of an earlier one
			c = nil
		}
	}
	tx.rested(s, env, e, c, outcome.Failed)
	tx.keepOutput(s, e.Output)
	if c != nil {
		tx.turns.end(s, c, &e.SelfReport, turnEnd{Time: env.Time, Outcome: outcome, Seen: true, Output: e.Output})
		return
	}
	if e.Native.Valid() {
		tx.nativeTurn(s, env, e, outcome, about)
	}
}

// keepOutput keeps the agent's last message as the output of its session.
func (tx *agentTurns) keepOutput(s *store.Session, output event.JSON) {
	if output == "" || !tx.opt.KeepPayloads {
		return
	}
	agent := editAgent(s)
	s.Held += int64(len(output) - len(agent.Output))
	agent.Output = strings.Clone(string(output))
}

// rested takes from the end of a turn what its agent does now. Not all log records and spans
// say that a turn failed: then a failure of the model that its agent called the last one
// does. That the call seen last failed says nothing: later ones may still be on their way.
// Hooks report all that at once; but some agents run none if a person interrupts a turn, of
// which their own span says that it is over.
func (tx *agentTurns) rested(s *store.Session, env *event.Envelope, e *event.TurnEnded, c *store.Call, failed bool) {
	phase := mcpconv.PhaseIdle
	if failed || e.Source != event.Hook && !e.Certain && s.In(mcpconv.PhaseError) {
		phase = mcpconv.PhaseError
	}
	open := c != nil && c == openTurn(s) && c.Sources().Has(store.FromHooks)
	switch {
	case leads(s, e.Source):
		tx.turn(s, env.Time, &e.SelfReport, phase)
	case open && (s.Phase == nil || env.Time >= s.Phase.Start):
		tx.turn(s, env.Time, &e.SelfReport, phase)
		tx.phases.enter(s, env.Time, phase)
	}
}

// nativeTurn takes an agent's own span of a turn of which nothing is open: it has left
// already, or nothing else reported it.
func (tx *agentTurns) nativeTurn(s *store.Session, env *event.Envelope, e *event.TurnEnded, outcome Outcome, about subject) {
	if about.left < 0 && e.Unprompted {
		return
	}
	if about.left >= 0 {
		c := tx.turns.newTurn(s, env, &e.SelfReport, e.Native.Start)
		s.Agent.Turns--
		c.Report.End = env.Time
		tx.joins.late(s, &e.SelfReport, about, c)
		return
	}
	c := openTurn(s) // that what was in it opened
	if c == nil || c.Turn.Prompted || c.Start < e.Native.Start {
		c = tx.turns.newTurn(s, env, &e.SelfReport, e.Native.Start)
		c.Parked.ID, c.Account = c.Span.String(), about.account
		tx.store.Open(s, c)
	}
	tx.turns.end(s, c, &e.SelfReport, turnEnd{Time: env.Time, Outcome: outcome, Seen: true, Output: e.Output})
}

// turn changes what the main thread is about, and ends what it was about.
func (tx *agentTurns) turn(s *store.Session, at int64, a *event.SelfReport, phase string) {
	tx.agentTools.closeToolsOf(s, at, "", a.Source)
	s.Agent.Before, s.Agent.Asking = "", nil
	tx.selfReports.enterPhase(s, a.Source, at, phase)
}
