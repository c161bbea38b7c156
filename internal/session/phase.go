package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Phase is a stretch of time in which a host does one kind of thing. It never
// changes.
type Phase struct {
	Name   string
	Start  int64
	Trace  identity.TraceID
	Span   identity.SpanID
	Parent identity.SpanID
}

// PhaseEnd is the end of a phase.
type PhaseEnd struct {
	Session    *Session
	Phase      *Phase
	Time       int64
	Incomplete bool
}

// enterPhase closes the phase that the session is in and opens the next, if it
// is another and one that the specification names.
func (tx *Tx) enterPhase(s *Session, o *Observation, name string) {
	name, ok := mcpconv.Phase(name)
	if !ok || s.ended != 0 || s.Connection || s.Phase != nil && s.Phase.Name == name {
		return
	}
	tx.closePhase(s, o.Time, false)
	p := &Phase{Name: name, Start: o.Time}
	p.Trace, p.Parent = s.traceOf()
	p.Span = identity.Span(p.Trace, identity.Phase, s.Identity, name, decimal(p.Start))
	s.Phase = p
	tx.sink.PhaseStarted(s, p)
}

// closePhase ends the phase that the session is in, if any.
func (tx *Tx) closePhase(s *Session, at int64, incomplete bool) {
	p := s.Phase
	if p == nil {
		return
	}
	s.Phase = nil
	end := max(at, p.Start)
	if p.Name == mcpconv.PhaseApproval {
		s.Summary.WaitingNs += end - p.Start
	}
	if p.Name == mcpconv.PhaseError {
		s.Summary.Errors++
	}
	tx.count(s)
	tx.sink.PhaseEnded(&PhaseEnd{Session: s, Phase: p, Time: end, Incomplete: incomplete})
}
