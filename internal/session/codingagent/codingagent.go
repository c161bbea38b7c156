// Package codingagent has the rules of what coding agents report of themselves: in
// their hooks, in their log records or in their spans. Which event causes what is
// decided here; what can happen in a session, and how several sources that report
// the same are joined, is in package activity.
package codingagent

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/activity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Apply takes an event that an agent reports of itself, and ignores all others. The
// errors are those of [activity.Tx.Enter].
func Apply(ctx context.Context, tx *activity.Tx, env *event.Envelope, e event.Event) error {
	return agents{rules{tx}}.applySelfReport(ctx, env, e)
}

// Locate finds the place of something that an agent reports and that causes nothing:
// its turn, else its session. It opens no session.
func Locate(ctx context.Context, tx *activity.Tx, env *event.Envelope) error {
	return agents{rules{tx}}.locate(ctx, env)
}

// rules are the transaction in which an event causes something. Each family has the
// rules of one subject; a rule that needs another family's asks for that.
type rules struct{ *activity.Tx }

type (
	// agents are sessions, turns, pauses and sub-agents.
	agents struct{ rules }
	// tools are tool calls.
	tools struct{ rules }
	// models are calls of language models.
	models struct{ rules }
)

func (tx rules) agents() agents { return agents{tx} }
func (tx rules) tools() tools   { return tools{tx} }
func (tx rules) models() models { return models{tx} }

// locate is [Locate].
func (tx agents) locate(ctx context.Context, env *event.Envelope) error {
	if parent := tx.parentOf(env.Session); parent != "" {
		return tx.locateSubAgent(ctx, env, parent)
	}
	s, err := tx.Enter(ctx, env, activity.KeepAlive)
	if err != nil || s == nil {
		return err
	}
	tx.About = placeIn(s, env.Time)
	return nil
}

// placeIn is where something stands of which only the session and the time are known: in
// the turn of that time, unless that has a span of the agent's own, else in the session.
func placeIn(s *store.Session, at int64) activity.Place {
	p := activity.Place{Trace: s.Trace, Span: s.Root}
	t := activity.TurnAt(s, at)
	switch {
	case t == nil, !t.Turn.Prompted, t.Over() && at > t.Report.End: // what comes after a turn is in none
	case s.Agent != nil && !activity.OwnSpans(s):
		p.Span = t.Span
	}
	return p
}
