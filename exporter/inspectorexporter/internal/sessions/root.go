package sessions

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// role is what a span is to its session.
type role uint8

const (
	asPart  role = iota
	asRoot       // the session ends with it
	asGuest      // of a server which a call of the session reached
)

func (b *Board) roleOf(s *session, span ptrace.Span) role {
	switch {
	case b.isRoot(s, span):
		return asRoot
	case !facts.Asks(span) && b.isGuest(s, span):
		return asGuest
	}
	return asPart
}

// isRoot reports whether the session ends with the span. If no marker named the
// root, that is whatever span without a parent the session itself sent. If one did,
// another root is what a trace file has of the same session.
func (b *Board) isRoot(s *session, span ptrace.Span) bool {
	if !span.ParentSpanID().IsEmpty() || span.EndTimestamp() == 0 {
		return false
	}
	m := span.Attributes()
	if paused, _ := facts.Bool(m, mcpconv.SessionPaused); paused {
		return false
	}
	if facts.Str(m, mcpconv.SessionEndReason) != "" {
		return true
	}
	if span.Name() == mcpconv.SpanWorkflow || facts.Str(m, mcpconv.GenAIOperation) == mcpconv.OperationWorkflow {
		return s.root.IsEmpty() || s.root == span.SpanID() || s.row.EndedAt != 0 && s.row.EndReason == ""
	}
	return s.row.foreign && span.EndTimestamp() > span.StartTimestamp()+1 && !b.isGuest(s, span)
}

// again tells whether a session whose root ended begins again with the same one,
// rather than that its marker is late. A receiver that forgets its sessions when
// it stops ends them, and gives them the same ids when it meets them again.
func (s *session) again(start Time) bool {
	return s.row.EndedAt != 0 && (start > s.row.EndedAt || s.row.EndReason == mcpconv.EndShutdown && start != s.began)
}

// goesOn reopens a session whose root did not tell that it is over, when
// something begins after it: each turn of an agent may be a trace.
func (s *session) goesOn(start Time) {
	if r := &s.row; r.EndedAt != 0 && r.EndReason == "" && start > r.EndedAt {
		s.reopen()
	}
}

func (s *session) reopen() {
	r := &s.row
	s.former, s.formerRoot = r.EndedAt, r.RootSpanID
	r.EndedAt, r.DurationMS, r.EndReason, r.Error, r.Status = 0, 0, "", "", ""
	s.announced = false
	s.Next(&r.Totals)
}
