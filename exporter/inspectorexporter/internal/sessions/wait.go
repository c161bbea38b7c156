package sessions

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
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
func (s *session) wait() (name string, since Time) {
	switch {
	case s.row.Phase == waitingFor:
		return waitApproval, s.row.PhaseSince
	case s.pausedAt != 0:
		return waitPaused, s.pausedAt
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
	start, end := when(span.StartTimestamp()), when(span.EndTimestamp())
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
func (s *session) tellWait(u *Update) {
	name, _ := s.wait()
	if s.row.EndedAt != 0 {
		s.waitTold = ""
		return
	}
	if name == s.waitTold {
		return
	}
	if told := s.waitTold; told != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeSignalReceived, SignalName: &told})
	}
	if begun := name; begun != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeWaitingOnSignal, SignalName: &begun})
	}
	s.waitTold = name
}
