package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Some agents report a sub-agent as a session of its own, whose id is that of the
// sub-agent. From when its parent is known, what it does is done in the session of
// its parent; what came before stays where it is.

// generations bounds how deep sub-agents of sub-agents are looked up.
const generations = 4

// adopt ends the session that a sub-agent has already: it reported on itself before its
// parent told of it. What it did counts in its parent's.
func (tx *subAgentReports) adopt(ctx context.Context, s *store.Session, e *event.AgentStarted) error {
	child := tx.Tenant + tx.cut(e.Agent.ID.Str())
	if e.Source == event.Hook || child == tx.Tenant || child == s.ID || !s.Open() {
		return nil
	}
	return tx.absorb(ctx, s, child)
}

// include makes what has that name part of the session from a time on: the session of a sub-agent,
// of a trace or of a server, or a call that brings a heartbeat.
func (tx *core) include(s *store.Session, name string, at int64) {
	s.Spawned = s.Spawned.With(xxhash.Sum64String(name), max(at, 1))
	tx.store.Adopt(name, s.ID)
}

// absorb ends the session of that name, if it has reported already, and counts what it did
// in the session that it is part of.
func (tx *subAgentReports) absorb(ctx context.Context, s *store.Session, child string) error {
	if !tx.store.Knows(child) {
		return nil
	}
	entry, err := tx.store.Touch(ctx, store.BySession, child)
	if err != nil {
		return err
	}
	if own := entry.Session(); own != nil && own.Open() && own.Agent != nil && !own.Agent.Sources.Has(store.FromHooks) {
		tx.ends.absorb(s, own, strings.TrimPrefix(child, tx.Tenant))
	}
	return nil
}

// serve makes a conversation that an agent holds with itself part of the session that it
// serves: the only one of the agent that was prompted just before.
func (tx *subAgentReports) serve(ctx context.Context, env *event.Envelope) error {
	session := tx.prompts.before(prompter{tx.Tenant, env.Client}, env.Time)
	if session == "" || session == env.Session || tx.store.ParentOf(env.Session) != "" {
		return nil
	}
	entry, err := tx.store.Touch(ctx, store.BySession, session)
	if err != nil {
		return err
	}
	s := entry.Session()
	if s == nil || !s.Open() {
		return nil
	}
	tx.include(s, env.Session, env.Time)
	return tx.absorb(ctx, s, env.Session)
}

// parentOf is the session that the session of that name is a sub-agent of, "" if
// it is none, as far as is known.
func (tx *subAgentReports) parentOf(session string) string {
	if session == "" {
		return ""
	}
	parent := tx.store.ParentOf(session)
	for range generations {
		next := tx.store.ParentOf(parent)
		if next == "" || next == session {
			break
		}
		parent = next
	}
	return parent
}

// applySubAgent takes what a sub-agent reports as a session of its own. It reopens
// nothing.
func (tx *subAgentReports) applySubAgent(ctx context.Context, env *event.Envelope, e event.Event, parent string) error {
	copied := ofSubAgent(e, tx.cut(strings.TrimPrefix(env.Session, tx.Tenant)))
	if copied == nil {
		return tx.locateSubAgent(ctx, env, parent)
	}
	child := env.Session
	env.Session = parent
	err := tx.selfReports.apply(ctx, env, copied, late)
	env.Session = child
	return err
}

// locateSubAgent finds the place of something that the sub-agent reports and that
// causes nothing.
func (tx *subAgentReports) locateSubAgent(ctx context.Context, env *event.Envelope, parent string) error {
	child := env.Session
	env.Session = parent
	s, err := tx.sessions.enter(ctx, env, keepAlive)
	env.Session = child
	if err != nil || s == nil {
		return err
	}
	tx.About = Place{Trace: s.Trace, Span: s.Root, Parent: s.ID}
	if a := openAgent(s, tx.cut(strings.TrimPrefix(child, tx.Tenant))); a != nil {
		tx.About.Trace, tx.About.Span = a.Trace, a.Span
	}
	return nil
}

// ofSubAgent is the event as one of the sub-agent with that id, nil if it is about
// what only sessions have: turns, their sums, an end.
func ofSubAgent(e event.Event, id string) selfReported {
	switch e := e.(type) {
	case *event.ToolStarted:
		copied := disguised(e)
		copied.Use.SubAgent = subAgent(copied.Use.SubAgent, id)
		return copied
	case *event.ToolEnded:
		copied := disguised(e)
		copied.Use.SubAgent = subAgent(copied.Use.SubAgent, id)
		return copied
	case *event.ToolDenied:
		copied := disguised(e)
		copied.Use.SubAgent = subAgent(copied.Use.SubAgent, id)
		return copied
	case *event.ToolNamed:
		return disguised(e)
	case *event.ApprovalRequested:
		copied := disguised(e)
		copied.SubAgent = subAgent(copied.SubAgent, id)
		return copied
	case *event.ModelStarted:
		copied := disguised(e)
		copied.Use.SubAgent = id
		return copied
	case *event.ModelEnded:
		copied := disguised(e)
		copied.Use.SubAgent = id
		return copied
	case *event.AgentStarted:
		return disguised(e)
	case *event.AgentEnded:
		return disguised(e)
	}
	return nil
}

// disguised is a copy without what the session of the sub-agent says of itself.
func disguised[E any, P interface {
	*E
	selfReported
}](e P) P {
	copied := P(new(E))
	*copied = *e
	a := copied.About()
	a.Title, a.Facts, a.Turn = "", nil, ""
	return copied
}

func subAgent(known event.JSON, id string) event.JSON {
	if known != "" {
		return known
	}
	quoted, _ := json.Marshal(id) // of a string: it has no error
	return event.JSON(quoted)
}
