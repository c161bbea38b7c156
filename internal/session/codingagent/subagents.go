package codingagent

import (
	"context"
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/activity"
)

// Some agents report a sub-agent as a session of its own, whose id is that of the
// sub-agent. From when its parent is known, what it does is done in the session of
// its parent; what came before stays where it is.

// generations bounds how deep sub-agents of sub-agents are looked up.
const generations = 4

// parentOf is the session that the session of that name is a sub-agent of, "" if
// it is none, as far as is known.
func (tx agents) parentOf(session string) string {
	if session == "" {
		return ""
	}
	parent := tx.ParentOf(session)
	for range generations {
		next := tx.ParentOf(parent)
		if next == "" || next == session {
			break
		}
		parent = next
	}
	return parent
}

// applySubAgent takes what a sub-agent reports as a session of its own. It reopens
// nothing.
func (tx agents) applySubAgent(ctx context.Context, env *event.Envelope, e event.Event, parent string) error {
	own := ofSubAgent(e, tx.Cut(env.Session))
	if own == nil {
		return tx.locateSubAgent(ctx, env, parent)
	}
	child := env.Session
	env.Session = parent
	err := tx.apply(ctx, env, own, activity.Late)
	env.Session = child
	return err
}

// locateSubAgent finds the place of something that the sub-agent reports and that
// causes nothing.
func (tx agents) locateSubAgent(ctx context.Context, env *event.Envelope, parent string) error {
	child := env.Session
	env.Session = parent
	s, err := tx.Enter(ctx, env, activity.KeepAlive)
	env.Session = child
	if err != nil || s == nil {
		return err
	}
	tx.About = activity.Place{Trace: s.Trace, Span: s.Root}
	if a := activity.OpenAgent(s, tx.Cut(child)); a != nil {
		tx.About = activity.Place{Trace: a.Trace, Span: a.Span}
	}
	return nil
}

// ofSubAgent is the event as one of the sub-agent with that id, nil if it is about
// what only sessions have: turns, their sums, an end.
func ofSubAgent(e event.Event, id string) activityEvent {
	switch e := e.(type) {
	case *event.ToolStarted:
		own := *e
		disguise(&own.Activity)
		own.Use.SubAgent = subAgent(own.Use.SubAgent, id)
		return &own
	case *event.ToolEnded:
		own := *e
		disguise(&own.Activity)
		own.Use.SubAgent = subAgent(own.Use.SubAgent, id)
		return &own
	case *event.ToolDenied:
		own := *e
		disguise(&own.Activity)
		own.Use.SubAgent = subAgent(own.Use.SubAgent, id)
		return &own
	case *event.ToolNamed:
		own := *e
		disguise(&own.Activity)
		return &own
	case *event.ApprovalRequested:
		own := *e
		disguise(&own.Activity)
		own.SubAgent = subAgent(own.SubAgent, id)
		return &own
	case *event.ModelStarted:
		own := *e
		disguise(&own.Activity)
		own.Use.SubAgent = id
		return &own
	case *event.ModelEnded:
		own := *e
		disguise(&own.Activity)
		own.Use.SubAgent = id
		return &own
	case *event.AgentStarted:
		own := *e
		disguise(&own.Activity)
		return &own
	case *event.AgentEnded:
		own := *e
		disguise(&own.Activity)
		return &own
	}
	return nil
}

// disguise leaves out what the session of the sub-agent says of itself.
func disguise(a *event.Activity) { a.Title, a.Facts, a.Turn = "", nil, "" }

func subAgent(known event.JSON, id string) event.JSON {
	if known != "" {
		return known
	}
	quoted, _ := json.Marshal(id) // of a string: it has no error
	return event.JSON(quoted)
}
