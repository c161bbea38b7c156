package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// rules are the transaction in which an event causes something. Each family has the
// rules of one subject; a rule that needs another family's asks for that.
type rules struct{ *Tx }

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

// locate finds the place of something that an agent reports and that causes nothing:
// its turn, else its session. It opens no session.
func (tx agents) locate(ctx context.Context, env *event.Envelope) error {
	if parent := tx.parentOf(env.Session); parent != "" {
		return tx.locateSubAgent(ctx, env, parent)
	}
	s, err := tx.Enter(ctx, env, KeepAlive)
	if err != nil || s == nil {
		return err
	}
	tx.About = placeIn(s, env.Time)
	return nil
}

// placeIn is where something stands of which only the session and the time are known: in
// the turn of that time, unless that has a span of the agent's own, else in the session.
func placeIn(s *store.Session, at int64) Place {
	p := Place{Trace: s.Trace, Span: s.Root}
	t := TurnAt(s, at)
	switch {
	case t == nil, !t.Turn.Prompted, t.Over() && at > t.Report.End: // what comes after a turn is in none
	case s.Agent != nil && !OwnSpans(s):
		p.Span = t.Span
	}
	return p
}
