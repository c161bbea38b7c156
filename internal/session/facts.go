package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// An agent may report one fact three times: through a hook, in a log record and in
// a span of its own. A fact has one span. Its source is decided for each session;
// until that is known, and where a better source is expected, a call that has ended
// is pending: it stays among the open calls, with a deadline. Emitted calls are
// remembered for a while, so that late reports count once.

// editAgent replaces the session's agent by a copy and returns that for changes.
func editAgent(s *store.Session) *store.CodingAgent {
	next := *s.Agent
	s.Agent = &next
	return &next
}

// ownSpans reports whether the agent has spans of its own, or announced some that may
// still come.
func ownSpans(s *store.Session) bool {
	source := s.Agent.SpanSource
	return source == event.AgentSpan || source == event.Wire && s.Agent.Expected.Has(store.FromSpans)
}

// aboutCall sets the call as the subject of the last report, which log records link to.
func (tx *joins) aboutCall(c *store.Call) {
	if s := c.Session(); s.Agent == nil || !ownSpans(s) { // whose spans have other ids
		tx.About = Place{Trace: c.Trace, Span: c.Span}
	}
}

// aboutFact does the same with an emitted call.
func (tx *joins) aboutFact(f *store.Fact) {
	if !f.Trace.IsZero() {
		tx.About.Trace, tx.About.Span = f.Trace, f.Span
	}
}

// aboutDone does the same with the emitted call at that index, if there is one.
func (tx *joins) aboutDone(s *store.Session, at int) {
	if at >= 0 {
		tx.aboutFact(&s.Agent.Done[at])
	}
}

// aboutAgent does the same with the sub-agent that a report is about, if it is known.
func (tx *joins) aboutAgent(s *store.Session, about subject, id string) {
	if a := agentOf(s, about, id); a != nil {
		tx.About.Trace, tx.About.Span = a.Trace, a.Span
		return
	}
	if about.account != 0 {
		tx.aboutDone(s, s.LeftOf(about.fact))
	}
}

// Place is a span.
type Place struct {
	Trace identity.TraceID
	Span  identity.SpanID
	// Whole is the session that it is in, if what is reported names another one: that
	// of a sub-agent, which is part of it.
	Parent string
	// Repeats is the span that left with what an agent's own span tells after the end of
	// its session, zero if none did.
	Repeats identity.SpanID
}
