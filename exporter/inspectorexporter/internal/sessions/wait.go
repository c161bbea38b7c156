package sessions

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Names of waits for a person that no signal.wait stands for.
const (
	waitApproval = "approval"
	waitPaused   = "paused"
)

// waitingFor is the phase of a host that waits for a person.
const waitingFor = mcpconv.PhaseApproval

// personal is what is known of such waits.
type personal struct {
	pausedAt Time   // 0 while it is not paused
	waitTold string // the wait of which WaitingOnSignal was sent
}

// wait is the wait that no signal.wait stands for; name is empty if there is none.
func (p *personal) wait(r *Row) (name string, since Time) {
	switch {
	case r.Phase == waitingFor:
		return waitApproval, r.PhaseSince
	case p.pausedAt != 0:
		return waitPaused, p.pausedAt
	}
	return "", 0
}

// pause follows mcp.session.paused. Work that begins later says as well as false
// that the session goes on.
func (s *session) pause(span ptrace.Span) {
	if s.row.EndedAt != 0 {
		return
	}
	paused, told := facts.Bool(span.Attributes(), mcpconv.SessionPaused)
	start, end := figures.When(span.StartTimestamp()), figures.When(span.EndTimestamp())
	at := max(start, end)
	switch {
	case told && paused && s.pausedAt == 0:
		s.pausedAt = at
	case told && !paused && at >= s.pausedAt, !told && start > s.pausedAt && start != end:
		if s.pausedAt == 0 {
			return
		}
		s.pausedAt = 0
	default:
		return
	}
	s.show()
}

// tellWait tells of a wait that no signal.wait stands for, and of its end.
func (p *personal) tellWait(r *Row, u *Update) {
	name, _ := p.wait(r)
	if r.EndedAt != 0 {
		p.waitTold = ""
		return
	}
	if name == p.waitTold {
		return
	}
	if told := p.waitTold; told != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeSignalReceived, SignalName: &told})
	}
	if begun := name; begun != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeWaitingOnSignal, SignalName: &begun})
	}
	p.waitTold = name
}
