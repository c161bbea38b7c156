package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// enter closes the phase that the session is in and opens the next, if it
// is another and one that the specification names.
func (tx *phases) enter(s *store.Session, at int64, name string) {
	name, ok := mcpconv.Phase(name)
	if !ok || !s.Open() || s.Connection {
		return
	}
	hostWent(s, at, name)
	if s.In(name) {
		return
	}
	tx.close(s, at, false)
	p := &store.Phase{Name: name, Start: at}
	p.Trace, p.Parent = traceOf(s)
	p.Span = identity.Span(p.Trace, identity.Phase, s.Identity, name, decimal(p.Start))
	s.Phase = p
	tx.sink.PhaseStarted(&s.SessionRecord, p)
}

// close ends the phase that the session is in, if any.
func (tx *phases) close(s *store.Session, at int64, incomplete bool) {
	p := s.Phase
	if p == nil {
		return
	}
	s.Phase = nil
	end := max(at, p.Start)
	if p.Name == mcpconv.PhaseApproval {
		s.Summary.WaitingNs += end - p.Start
	}
	s.Spans++
	s.Contain(p.Trace, p.Start, end)
	tx.sink.PhaseEnded(&PhaseEnd{Session: &s.SessionRecord, Phase: p, Time: end, Incomplete: incomplete})
}

// keepTask keeps what the agent works on, unless payloads are off.
func (tx *phases) keepTask(s *store.Session, task string) {
	if !tx.opt.KeepPayloads || task == "" {
		return
	}
	if task = tx.short(task); task != s.Task {
		s.Held += int64(len(task) - len(s.Task))
		s.Task = strings.Clone(task)
	}
}
