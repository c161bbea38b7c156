package session

import (
	"context"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// The methods here and in tool.go take what an agent host's hooks tell. Their
// only errors are ctx's and the one that [Yielded] knows; the transaction must
// then be rolled back.

// hookState is what is known of a host through its hooks. Each event has one of
// its own, so that a transaction can be rolled back.
type hookState struct {
	input  string  // the first prompt, JSON
	before string  // phase to which a pause gives way, if any
	manual bool    // the compaction was asked for
	asking []*Call // for which a person was asked; never changed in place
}

// hooked enters the session that a hook tells of.
func (tx *Tx) hooked(ctx context.Context, o *Observation, h *jsonrpc.Hook, w weight) (*Session, error) {
	s, err := tx.enter(ctx, o, w)
	if err != nil || s.ended != 0 {
		return s, err
	}
	s.learn(o, nil)
	s.Host, s.beaten = true, true
	var state hookState
	if s.hooks != nil {
		state = *s.hooks
	}
	s.hooks = &state
	if title := h.Title.Str(); title != "" && tx.t.opt.KeepPayloads {
		s.Title = strings.Clone(jsonrpc.Cut(title, tx.t.opt.TextBytes))
	}
	tx.announce(s)
	tx.resume(s, o)
	return s, nil
}

// notify tells of a hook's event as it is.
func (tx *Tx) notify(s *Session, o *Observation, h *jsonrpc.Hook, outcome Outcome) {
	if tx.floods(s, o) {
		return
	}
	name := mcpconv.SpanHook + jsonrpc.Cut(h.Event, tx.t.opt.TextBytes)
	tx.notice(s, o, Notice{Name: name, Hook: h, Outcome: outcome, Invalid: o.Invalid})
}

// HookTold takes an event that tells of nothing but itself; a late one reopens
// no session.
func (tx *Tx) HookTold(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err == nil {
		tx.notify(s, o, h, Outcome{})
	}
	return err
}

// HookStarted takes the start of a session, or of its going on after a
// compaction.
func (tx *Tx) HookStarted(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, opens)
	if err != nil {
		return err
	}
	tx.notify(s, o, h, Outcome{})
	if s.in(mcpconv.PhaseCompacting) {
		tx.leavePause(s, o)
	}
	return nil
}

// HookEnded takes the end of a session.
func (tx *Tx) HookEnded(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, beat)
	if err != nil || s.ended != 0 {
		return err
	}
	tx.notify(s, o, h, Outcome{})
	tx.end(s, o.Time, mcpconv.EndFinished)
	return nil
}

// Prompted takes what a person asked the host to do. Whatever its main thread
// was about is over.
func (tx *Tx) Prompted(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, opens)
	if err != nil {
		return err
	}
	tx.keepTask(s, h.Prompt.Str())
	if s.hooks.input == "" && tx.t.opt.KeepPayloads {
		s.hooks.input = clone(h.Prompt)
		s.held += int64(len(h.Prompt))
	}
	tx.notify(s, o, h, Outcome{})
	tx.turn(s, o, mcpconv.PhaseWorking)
	return nil
}

// Rested takes the end of a turn: the host waits for the next prompt.
func (tx *Tx) Rested(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	return tx.turned(ctx, o, h, mcpconv.PhaseIdle, Outcome{})
}

// Failed takes the end of a turn by an error of the model's API.
func (tx *Tx) Failed(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	text := first(h.Last.Str(), first(h.Details.Str(), h.Error.Str()))
	return tx.turned(ctx, o, h, mcpconv.PhaseError, Outcome{
		Failed: true, Code: mcpconv.CodeServerError, Type: first(strings.Clone(jsonrpc.Cut(h.Error.Str(), peerBytes)), mcpconv.TypeOther), Message: text,
	})
}

func (tx *Tx) turned(ctx context.Context, o *Observation, h *jsonrpc.Hook, phase string, outcome Outcome) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	tx.notify(s, o, h, outcome)
	if s.ended != 0 {
		return nil
	}
	if outcome.Failed {
		s.Summary.Errors++
	}
	tx.turn(s, o, phase)
	return nil
}

// turn changes what the main thread is about, and ends what it was about.
func (tx *Tx) turn(s *Session, o *Observation, phase string) {
	tx.closeHooked(s, o, "")
	s.hooks.before, s.hooks.asking = "", nil
	tx.enterPhase(s, o, phase)
}

// Compacting takes the start of a compaction; manual tells that a person asked
// for it, between two turns.
func (tx *Tx) Compacting(ctx context.Context, o *Observation, h *jsonrpc.Hook, manual bool) error {
	s, err := tx.hooked(ctx, o, h, opens)
	if err != nil {
		return err
	}
	tx.notify(s, o, h, Outcome{})
	s.hooks.manual = manual
	tx.pause(s, o, mcpconv.PhaseCompacting)
	return nil
}

// Compacted takes the end of a compaction.
func (tx *Tx) Compacted(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	return tx.pauseOver(ctx, o, h, mcpconv.PhaseCompacting)
}

// Answered takes the answer to what a person was asked outside of tool calls.
func (tx *Tx) Answered(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	return tx.pauseOver(ctx, o, h, mcpconv.PhaseApproval)
}

// pauseOver ends a pause.
func (tx *Tx) pauseOver(ctx context.Context, o *Observation, h *jsonrpc.Hook, pause string) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	tx.notify(s, o, h, Outcome{})
	if s.ended == 0 && s.in(pause) && len(s.hooks.asking) == 0 {
		tx.leavePause(s, o)
	}
	return nil
}

// Asked takes that a person is asked for something. A host that rests already
// waits for its next prompt only.
func (tx *Tx) Asked(ctx context.Context, o *Observation, h *jsonrpc.Hook, restsToo bool) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	tx.notify(s, o, h, Outcome{})
	if s.ended != 0 || restsToo && s.in(mcpconv.PhaseIdle) {
		return nil
	}
	if c := s.askedFor(h); c != nil {
		s.ask(c)
	}
	tx.pause(s, o, mcpconv.PhaseApproval)
	return nil
}

// pause enters a phase that gives way to the one before.
func (tx *Tx) pause(s *Session, o *Observation, phase string) {
	if p := s.Phase; p != nil && p.Name != mcpconv.PhaseApproval && p.Name != mcpconv.PhaseCompacting {
		s.hooks.before = p.Name
	}
	tx.enterPhase(s, o, phase)
}

// leavePause leaves a pause.
func (tx *Tx) leavePause(s *Session, o *Observation) {
	next := s.hooks.before
	switch {
	case next != "":
	case s.hooks.manual && s.in(mcpconv.PhaseCompacting):
		next = mcpconv.PhaseIdle
	default:
		next = mcpconv.PhaseWorking
	}
	s.hooks.before, s.hooks.manual = "", false
	tx.enterPhase(s, o, next)
}

// in tells whether the session's host is in that phase.
func (s *Session) in(phase string) bool { return s.Phase != nil && s.Phase.Name == phase }

// AgentBegan takes the start of a sub-agent.
func (tx *Tx) AgentBegan(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, opens)
	if err != nil {
		return err
	}
	if !tx.spawned(s, o, agentNotice(h, mcpconv.HostAgentSpawned)) {
		tx.notify(s, o, h, Outcome{})
	}
	return nil
}

// AgentDone takes the end of a sub-agent, which is also that of its tool calls.
// One that has neither a name nor a start is the host's own helper.
func (tx *Tx) AgentDone(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	id := jsonrpc.Cut(h.AgentID.Str(), tx.t.opt.TextBytes)
	if s.ended != 0 || id == "" || h.AgentType.Str() == "" && s.agent(id) == nil {
		tx.notify(s, o, h, Outcome{})
		return nil
	}
	tx.closeHooked(s, o, id)
	tx.completed(s, o, agentNotice(h, mcpconv.HostAgentCompleted))
	return nil
}

// agentNotice is what the notification of an agent host would tell.
func agentNotice(h *jsonrpc.Hook, method string) *Notice {
	m := &jsonrpc.Message{Kind: jsonrpc.Notification, Method: method, Raw: h.Raw, Version: "2.0"}
	m.Params.Raw = h.Raw
	return &Notice{Name: method, Message: m, HostEvent: &jsonrpc.HostEvent{AgentID: h.AgentID, AgentType: h.AgentType}}
}

// FirstPrompt is what the host was asked to do first, JSON; "" if that was not
// told.
func (s *Session) FirstPrompt() string {
	if s.hooks == nil {
		return ""
	}
	return s.hooks.input
}
