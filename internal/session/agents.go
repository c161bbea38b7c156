package session

import (
	"context"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/activity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/table"
)

// activityEvent is an event of an agent's hooks.
type activityEvent interface {
	event.Event
	About() *event.Activity
}

// applyActivity takes what an agent reports through its hooks.
func (tx agents) applyActivity(ctx context.Context, env *event.Envelope, e event.Event) error {
	a, ok := e.(activityEvent)
	if !ok {
		return nil
	}
	s, err := tx.enterAgent(ctx, env, a.About(), effectOf(e))
	if err != nil {
		return err
	}
	switch e := e.(type) {
	case *event.ToolStarted:
		tx.tools().toolStarted(s, env, e)
	case *event.ToolEnded:
		tx.tools().toolEnded(s, env, e)
	case *event.ToolDenied:
		tx.tools().toolDenied(s, env, e)
	case *event.AgentStarted:
		if !tx.SpawnAgent(s, env, &e.Notice, &e.Agent) {
			tx.note(s, env, &e.Activity, emit.Outcome{})
		}
	case *event.AgentEnded:
		tx.agentEnded(s, env, e)
	case *event.PromptSubmitted:
		tx.promptSubmitted(s, env, e)
	default:
		tx.turnEvent(s, env, e, a.About())
	}
	return nil
}

// effectOf is what an event may do to its session: the beginning of something
// opens it, the end of something reopens nothing.
func effectOf(e event.Event) activity.Effect {
	switch e.(type) {
	case *event.SessionStarted, *event.PromptSubmitted, *event.ToolStarted, *event.AgentStarted, *event.CompactionStarted:
		return opens
	case *event.SessionEnded:
		return once
	}
	return late
}

// enterAgent enters the session that a hook reports on.
func (tx agents) enterAgent(ctx context.Context, env *event.Envelope, a *event.Activity, effect activity.Effect) (*table.Session, error) {
	s, err := tx.Enter(ctx, env, effect)
	if err != nil || !s.Open() {
		return s, err
	}
	activity.Learn(s, env)
	s.IsHost, s.Beaten = true, true
	var agency state.Agency
	if s.Agent != nil {
		agency = *s.Agent
	}
	s.Agent = &agency
	if a.Title != "" && tx.Options.KeepPayloads {
		s.Title = tx.Text(a.Title)
	}
	tx.Announce(s)
	tx.Resume(s, env.Time)
	return s, nil
}

// note records a hook's event as it is.
func (tx agents) note(s *table.Session, env *event.Envelope, a *event.Activity, outcome emit.Outcome) {
	if !tx.notices().floods(s, env) {
		tx.Notice(s, env, &a.Notice, &activity.Extra{Outcome: outcome})
	}
}

// turnEvent takes an event that is recorded as it is, and what else it causes.
func (tx agents) turnEvent(s *table.Session, env *event.Envelope, e event.Event, a *event.Activity) {
	outcome := emit.Outcome{}
	ended, isEnd := e.(*event.TurnEnded)
	if isEnd && ended.Failed {
		outcome = turnFailure(ended)
	}
	if _, last := e.(*event.SessionEnded); last && !s.Open() {
		return
	}
	tx.note(s, env, a, outcome)
	if !s.Open() {
		return
	}
	switch e := e.(type) {
	case *event.SessionStarted:
		if s.In(mcpconv.PhaseCompacting) {
			tx.leavePause(s, env.Time)
		}
	case *event.SessionEnded:
		tx.End(s, env.Time, mcpconv.EndFinished)
	case *event.TurnEnded:
		tx.turnEnded(s, env, outcome.Failed)
	case *event.CompactionStarted:
		s.Agent.Manual = e.Manual
		tx.pause(s, env.Time, mcpconv.PhaseCompacting)
	case *event.CompactionEnded:
		tx.pauseOver(s, env, mcpconv.PhaseCompacting)
	case *event.ApprovalAnswered:
		tx.pauseOver(s, env, mcpconv.PhaseApproval)
	case *event.ApprovalRequested:
		tx.approvalRequested(s, env, e)
	}
}

// turnFailure is how a turn failed: by an error of the model's API.
func turnFailure(e *event.TurnEnded) emit.Outcome {
	kind := strings.Clone(jsonscan.Cut(e.Type, activity.PeerBytes))
	if kind == "" {
		kind = mcpconv.TypeOther
	}
	return emit.Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: kind, Message: e.Text}
}

// promptSubmitted takes what a person asked the agent to do. Whatever its main
// thread was about is over.
func (tx agents) promptSubmitted(s *table.Session, env *event.Envelope, e *event.PromptSubmitted) {
	tx.hosts().keepTask(s, e.Prompt.Str())
	if s.Agent.Input == "" && tx.Options.KeepPayloads {
		s.Agent.Input = strings.Clone(string(e.Prompt))
		s.Held += int64(len(e.Prompt))
	}
	tx.note(s, env, &e.Activity, emit.Outcome{})
	tx.turn(s, env.Time, mcpconv.PhaseWorking)
}

// turnEnded takes the end of a turn: the agent waits for the next prompt.
func (tx agents) turnEnded(s *table.Session, env *event.Envelope, failed bool) {
	phase := mcpconv.PhaseIdle
	if failed {
		s.Summary.Errors++
		phase = mcpconv.PhaseError
	}
	tx.turn(s, env.Time, phase)
}

// turn changes what the main thread is about, and ends what it was about.
func (tx agents) turn(s *table.Session, at int64, phase string) {
	tx.tools().closeToolsOf(s, at, "")
	s.Agent.Before, s.Agent.Asking = "", nil
	tx.EnterPhase(s, at, phase)
}

// pause enters a phase that gives way to the one before.
func (tx agents) pause(s *table.Session, at int64, phase string) {
	if p := s.Phase; p != nil && p.Name != mcpconv.PhaseApproval && p.Name != mcpconv.PhaseCompacting {
		s.Agent.Before = p.Name
	}
	tx.EnterPhase(s, at, phase)
}

// pauseOver ends a pause, unless a person is still asked for a call.
func (tx agents) pauseOver(s *table.Session, env *event.Envelope, pause string) {
	if s.In(pause) && len(s.Agent.Asking) == 0 {
		tx.leavePause(s, env.Time)
	}
}

// leavePause leaves a pause.
func (tx agents) leavePause(s *table.Session, at int64) {
	next := s.Agent.Before
	switch {
	case next != "":
	case s.Agent.Manual && s.In(mcpconv.PhaseCompacting):
		next = mcpconv.PhaseIdle
	default:
		next = mcpconv.PhaseWorking
	}
	s.Agent.Before, s.Agent.Manual = "", false
	tx.EnterPhase(s, at, next)
}

// approvalRequested takes that a person is asked for something. An agent that
// rests already waits for its next prompt only.
func (tx agents) approvalRequested(s *table.Session, env *event.Envelope, e *event.ApprovalRequested) {
	if e.Reminder && s.In(mcpconv.PhaseIdle) {
		return
	}
	if c := askedFor(s, e); c != nil {
		ask(s, c)
	}
	tx.pause(s, env.Time, mcpconv.PhaseApproval)
}

// agentEnded takes the end of a sub-agent, which is also that of its tool calls.
// One that has neither a type nor a start is the agent's own helper.
func (tx agents) agentEnded(s *table.Session, env *event.Envelope, e *event.AgentEnded) {
	id := tx.Cut(e.Agent.ID.Str())
	if !s.Open() || id == "" || e.Agent.Type.Str() == "" && activity.OpenAgent(s, id) == nil {
		tx.note(s, env, &e.Activity, emit.Outcome{})
		return
	}
	tx.tools().closeToolsOf(s, env.Time, id)
	tx.CompleteAgent(s, env, &e.Notice, &e.Agent)
}
