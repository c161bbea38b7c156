package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// selfReported is an event that an agent reports of itself.
type selfReported interface {
	event.Event
	About() *event.SelfReport
}

// applySelfReport takes what an agent reports of itself: through its hooks, in its log
// records or in its spans.
func (tx *selfReports) applySelfReport(ctx context.Context, env *event.Envelope, e event.Event) error {
	a, ok := e.(selfReported)
	if !ok {
		return nil
	}
	if started, ok := e.(*event.SessionStarted); ok && started.Internal {
		if err := tx.subAgentReports.serve(ctx, env); err != nil {
			return err
		}
	}
	if parent := tx.subAgentReports.parentOf(env.Session); parent != "" {
		return tx.subAgentReports.applySubAgent(ctx, env, e, parent)
	}
	return tx.apply(ctx, env, a, effectOf(e))
}

// apply takes the event into the session that env names.
func (tx *selfReports) apply(ctx context.Context, env *event.Envelope, a selfReported, effect entryEffect) error {
	s, err := tx.enterAgent(ctx, env, a.About(), effect)
	if err != nil {
		return err
	}
	if happens(a) {
		s.Unused = false
	}
	about := tx.reports.reported(s, env, a)
	if a.About().Source != event.Hook && !s.Open() { // telemetry that comes too late passes as it is
		if about.left >= 0 && a.About().Native.Valid() {
			tx.About.Repeats = s.Agent.Done[about.left].Span
		}
		return nil
	}
	switch e := a.(type) {
	case *event.ToolStarted:
		tx.called(s, &e.Use)
		tx.agentTools.toolStarted(s, env, e, about)
	case *event.ToolEnded:
		if !about.again() { // its beginning was
			tx.called(s, &e.Use)
		}
		if e.Use.OnWire {
			tx.traces.wireEnded(s, env, e, about)
		} else {
			tx.agentTools.toolEnded(s, env, e, about)
		}
	case *event.ToolDenied:
		tx.agentTools.toolDenied(s, env, e, about)
	case *event.ToolNamed:
		tx.note(s, env, &e.SelfReport, Outcome{})
		tx.agentTools.named(e, about)
	case *event.ModelStarted:
		tx.agentModels.started(s, env, e, about)
	case *event.ModelEnded:
		tx.agentModels.ended(s, env, e, about)
	case *event.AgentStarted:
		tx.agentStarted(s, env, e, about)
		return tx.subAgentReports.adopt(ctx, s, e)
	case *event.AgentEnded:
		tx.agentEnded(s, env, e, about)
	case *event.PromptSubmitted:
		tx.agentTurns.promptSubmitted(s, env, e, about)
	case *event.TurnUsed: // a fact, and nothing else
	case *event.SpanOfTrace:
		return tx.traces.span(ctx, s, env, e)
	case *event.ServerChanged:
		tx.pauses.serverChanged(s, env, e)
	default:
		tx.agentTurns.turnEvent(s, env, e, a.About(), about)
	}
	return nil
}

// called lets what servers see of the call find the session.
func (tx *selfReports) called(s *store.Session, u *event.ToolUse) {
	if tx.Tenant == "" { // as what taps report
		tx.callers.add(u.ID, s.ID)
	}
}

// happens reports whether the event is more than that a session, or a server of it, is
// there: an agent that is opened and closed again has no row.
func happens(e event.Event) bool {
	switch e.(type) {
	case *event.SessionStarted, *event.SessionEnded, *event.ServerChanged, *event.SelfReport:
		return false
	}
	return true
}

// effectOf returns the effect of an event on its session: the beginning of something
// opens it, the end of something reopens nothing.
func effectOf(e event.Event) entryEffect {
	switch e.(type) {
	case *event.SessionStarted, *event.PromptSubmitted, *event.ToolStarted, *event.ModelStarted, *event.AgentStarted, *event.CompactionStarted:
		return opens
	case *event.SessionEnded:
		return once
	}
	return late
}

// enterAgent enters the session that an agent reports on.
func (tx *selfReports) enterAgent(ctx context.Context, env *event.Envelope, a *event.SelfReport, effect entryEffect) (*store.Session, error) {
	effect, err := tx.beginning(ctx, env, a, effect)
	if err != nil {
		return nil, err
	}
	s, err := tx.sessions.enter(ctx, env, effect)
	if err != nil || !s.Open() {
		return s, err
	}
	learn(s, env)
	s.IsHost = true
	if a.Source == event.Hook {
		s.Beaten, s.ByTool = true, false
	}
	var agent store.CodingAgent
	switch {
	case s.Agent != nil:
		agent = *s.Agent
	case len(s.Carried) > 0: // an earlier version stored no ways
		agent.Sources = store.FromTap
	}
	s.Agent = &agent
	agent.Sources |= store.SourceOf(a.Source)
	tx.titled(s, a)
	tx.learnFacts(s, env.Time, a.Facts)
	if !s.Announced {
		s.Unused = true // until something happens
	}
	tx.sessions.announce(s)
	tx.stalls.resume(s, env.Time)
	tx.About = placeIn(s, env.Time)
	tx.chooseSpanSource(s, a)
	return s, nil
}

// titled takes the title that a person gave the session. One that the agent made stays
// apart: the session is called after its first prompt.
func (tx *selfReports) titled(s *store.Session, a *event.SelfReport) {
	if a.Title == "" || !tx.opt.KeepPayloads {
		return
	}
	title, more := tx.shortText(a.Title), s.More()
	if a.Made && s.Title == "" && (more.Made == "" || more.Made == title) {
		more.Made = title
		s.Extra = &more
		return
	}
	s.Title = title
}

// beginning returns the effect of the event by the state of the session. A hook that begins
// something ends at once what is held to end. Telemetry comes behind hooks, and is
// repeated for as long as an exporter likes: what it reports of the time before the
// end reopens nothing, as long as the facts of that time are known.
func (tx *selfReports) beginning(ctx context.Context, env *event.Envelope, a *event.SelfReport, effect entryEffect) (entryEffect, error) {
	e, err := tx.store.Touch(ctx, store.BySession, env.Session)
	if err != nil || e.Session() == nil {
		return effect, err
	}
	at := env.Time
	if a.Time != 0 { // of an event within a span, which is reported when it ends
		at = min(at, a.Time)
	}
	switch s := e.Session(); {
	case a.Source != event.Hook && !s.Open() && at <= s.Last && !s.Forgot():
		return once, nil
	case a.Source == event.Hook && s.Open() && effect == opens:
		tx.turns.endDeferred(s)
	}
	return effect, nil
}

// learnFacts keeps what an event of that time mentions of the agent.
func (tx *selfReports) learnFacts(s *store.Session, at int64, f *event.Facts) {
	if f == nil {
		return
	}
	agent := s.Agent
	if f.Model != "" && at >= agent.ModelAt {
		setText(&agent.Model, f.Model)
		agent.ModelAt = at
	}
	if f.Process != "" {
		tx.processes.add(s.ID, f.Process, tx.Tenant != "", tx.opt.Alive)
	}
	if f.Window > 0 {
		agent.Window = f.Window
	}
	if tx.opt.KeepPayloads {
		if f.Dir != "" && f.Dir != agent.Dir {
			agent.Dir = tx.text(f.Dir)
		}
		setText(&agent.Branch, f.Branch)
	}
	for _, source := range f.Sources {
		switch source {
		case mcpconv.SourceLogs:
			agent.Expected |= store.FromLogs
		case mcpconv.SourceSpans:
			agent.Expected |= store.FromSpans
		case mcpconv.SourceHooks:
			agent.Expected |= store.FromHooks
		}
	}
	if version := f.Version; version != "" && version != s.PeerInfo().Client.Version {
		info := *s.PeerInfo()
		setText(&info.Client.Version, version)
		s.Info = &info
	}
}

// chooseSpanSource decides whose spans the session's are, if that is known by now: it
// follows from what the agent is configured to send, which its hooks report, or
// from the first span of its own. Spans that are only announced are waited for: they
// may never come.
func (tx *selfReports) chooseSpanSource(s *store.Session, a *event.SelfReport) {
	agent := s.Agent
	switch {
	case a.Native.Valid():
		tx.joins.resolve(s, event.AgentSpan)
	case ownSpans(s):
	case a.Source == event.Hook && (agent.Expected != 0 || agent.SpanSource == event.AgentLog):
		tx.joins.resolve(s, event.Hook)
	}
}

// leads reports whether the phases of the session follow that source: hooks report
// them at once, and where there are some, nobody else.
func leads(s *store.Session, source event.Source) bool {
	return source == event.Hook || !s.Agent.Sources.Has(store.FromHooks)
}

// enterPhase enters a phase, unless that is old news.
func (tx *selfReports) enterPhase(s *store.Session, source event.Source, at int64, phase string) {
	if leads(s, source) && (source == event.Hook || s.Phase == nil || at >= s.Phase.Start) {
		tx.phases.enter(s, at, phase)
	}
}

// note records a hook's event as it is. Log records and spans are recorded anyway.
func (tx *selfReports) note(s *store.Session, env *event.Envelope, a *event.SelfReport, outcome Outcome) {
	if a.Source == event.Hook && !tx.notices.floods(s, env) {
		tx.notices.record(s, env, &a.Notice, &noticeExtra{Outcome: outcome})
	}
	if hook, ok := a.Detail.(*event.HookInfo); ok && outcome.Failed && hook.Tool == "" && hook.Error != "" {
		tx.hostFailed(s, store.HostError{At: env.Time, Type: hook.Error.Str(), Text: outcome.Message})
	}
}

// agentStarted takes that a sub-agent began.
func (tx *selfReports) agentStarted(s *store.Session, env *event.Envelope, e *event.AgentStarted, about subject) {
	id := tx.cut(e.Agent.ID.Str())
	open := agentOf(s, about, id)
	known := open != nil || hadAgent(s, tx.Tenant+id)
	if e.Source != event.Hook && (id == "" || known) {
		tx.joins.aboutAgent(s, about, id)
		return
	}
	told := known && beganNear(s, tx.Tenant+id, env.Time) && (open == nil || open.Start != env.Time) // by telemetry
	if told || !tx.subAgents.spawn(s, env, &e.Notice, &e.Agent, about) {
		tx.note(s, env, &e.SelfReport, Outcome{})
	}
	if e.Source != event.Hook {
		tx.joins.aboutAgent(s, about, id)
	}
}

// agentEnded takes the end of a sub-agent, which is also that of its tool calls.
// One that has neither a type nor a start is the agent's own helper; and what has ended
// ends again only if it began again.
func (tx *selfReports) agentEnded(s *store.Session, env *event.Envelope, e *event.AgentEnded, about subject) {
	id := tx.cut(e.Agent.ID.Str())
	if e.Source != event.Hook {
		tx.agentOver(s, env, e, about, id)
		tx.joins.aboutAgent(s, about, id)
		return
	}
	open := id != "" && openAgent(s, id) != nil
	known := id != "" && hadAgent(s, tx.Tenant+id)
	if !s.Open() || !open && (id == "" || known || e.Agent.Type.Str() == "") {
		if known && !open {
			tx.store.Count(Repeated)
		}
		tx.note(s, env, &e.SelfReport, Outcome{})
		return
	}
	tx.agentTools.closeToolsOf(s, env.Time, id, e.Source)
	if !tx.subAgents.complete(s, env, &e.Notice, &e.Agent, nil, about) {
		tx.note(s, env, &e.SelfReport, Outcome{})
	}
}

// agentOver takes the end of a sub-agent from a log record or a span. What hooks
// report of it is better than a log record that does not say which one it was.
func (tx *selfReports) agentOver(s *store.Session, env *event.Envelope, e *event.AgentEnded, about subject, id string) {
	native := &e.Native
	if !native.Valid() {
		native = nil
	}
	open := id != "" && openAgent(s, id) != nil
	switch {
	case native != nil, open && !s.Agent.Sources.Has(store.FromHooks):
	case open, id != "" && hadAgent(s, tx.Tenant+id), s.Agent.Sources.Has(store.FromHooks):
		return
	}
	if open {
		tx.agentTools.closeToolsOf(s, env.Time, id, e.Source)
	}
	tx.subAgents.complete(s, env, &e.Notice, &e.Agent, native, about)
}
