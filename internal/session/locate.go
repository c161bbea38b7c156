package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// locate finds the place of something that an agent reports and that causes nothing:
// its turn, else its session. It opens no session.
func (tx *selfReports) locate(ctx context.Context, env *event.Envelope) error {
	if parent := tx.subAgentReports.parentOf(env.Session); parent != "" {
		return tx.subAgentReports.locateSubAgent(ctx, env, parent)
	}
	s, err := tx.sessions.enter(ctx, env, keepAlive)
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
	t := turnAt(s, at)
	switch {
	case t == nil, !t.Turn.Prompted, t.Over() && at > t.Report.End: // what comes after a turn is in none
	case s.Agent != nil && !ownSpans(s):
		p.Span = t.Span
	}
	return p
}
