package sessions

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// silent: the host gives none.
func (s *session) silent(at Time, m pcommon.Map) {
	if s.row.EndedAt == 0 {
		s.row.Stalled = &Stall{Reason: hostSilent, Detail: facts.Text(facts.Str(m, mcpconv.HostPhase)), Since: at}
	}
}

const hostSilent = "host_silent"

// moved: the host gives a sign of life.
func (s *session) moved() {
	if st := s.row.Stalled; st != nil && st.Reason == hostSilent {
		s.row.Stalled = nil
	}
}

// phase takes a host's phase from a notice or a log record, and its end from the
// span of the phase.
func (s *session) phase(name string, start, end Time, m pcommon.Map) {
	r := &s.row
	phase := facts.Str(m, mcpconv.HostPhase)
	switch kind := facts.Str(m, mcpconv.HostErrorType); {
	case name == mcpconv.HostCompacting:
		phase = mcpconv.PhaseCompacting
	case name == mcpconv.HostError, kind != "":
		if s.erred(start, kind, m); s.row.HostError != nil && s.row.HostError.Retrying && r.Phase != "" {
			return
		}
		phase = mcpconv.PhaseError
	case !isPhase(phase) || name == mcpconv.SpanHostStalled || name == mcpconv.SpanHostResumed:
		return
	case name == mcpconv.SpanPhase && end > start:
		if r.Phase == phase && r.PhaseSince <= end {
			s.enter("", end)
		}
		return
	}
	s.moved()
	if e := r.HostError; e != nil && phase != mcpconv.PhaseError && start > e.Time {
		r.HostError = nil
	}
	if phase != r.Phase && start >= r.PhaseSince {
		s.enter(facts.Text(phase), start)
	}
}

// erred takes what a host failed at.
func (s *session) erred(at Time, kind string, m pcommon.Map) {
	r := &s.row
	if r.EndedAt != 0 || r.HostError != nil && at < r.HostError.Time {
		return
	}
	e := &HostError{Type: facts.Text(kind), Message: facts.Text(facts.Str(m, mcpconv.ErrorMessage)), Time: at}
	e.Retrying, _ = facts.Bool(m, mcpconv.HostRetrying)
	e.RetryCount, _ = facts.Amount(m, mcpconv.HostRetryCount)
	r.HostError = e
}

// isPhase keeps out what a host only calls a phase: the receiver changes none for
// it either.
func isPhase(name string) bool {
	_, ok := mcpconv.Phase(name)
	return ok
}

func (s *session) enter(phase string, at Time) {
	if s.row.EndedAt != 0 {
		return
	}
	s.row.Phase, s.row.PhaseSince = phase, at
	s.show()
}

// finish takes the root. What is open then is over, too.
func (s *session) finish(root ptrace.Span, failed bool, u *Update) {
	r := &s.row
	start, end := figures.When(root.StartTimestamp()), figures.When(root.EndTimestamp())
	if end <= s.former && root.SpanID().String() == s.formerRoot || !s.ended.note(root.SpanID()) {
		return // a repeat
	}
	m := root.Attributes()
	if epoch, _ := facts.Int(m, mcpconv.SessionEpoch); epoch < r.SessionEpoch {
		return // of an earlier epoch, and late
	}
	if r.foreign {
		s.countRoot(root)
	}
	if start != 0 {
		r.StartedAt = min(r.StartedAt, start)
	}
	r.RootSpanID, r.TraceID, s.began = root.SpanID().String(), root.TraceID().String(), start
	s.announce(u)
	r.EndedAt, r.DurationMS = max(end, r.StartedAt), int64(max(0, end-start))/1e6
	r.EndReason = facts.Text(facts.Str(m, mcpconv.SessionEndReason))
	if s.former != 0 && r.EndReason == "" {
		r.DurationMS = int64(r.EndedAt-r.StartedAt) / 1e6
	}
	r.Status = completed
	if failed {
		r.Status, r.Error = Failed, facts.Text(cmp.Or(facts.Str(m, mcpconv.ErrorMessage), root.Status().Message(), facts.Exit(m)))
	}
	if failed && facts.Str(m, mcpconv.ErrorCode) == mcpconv.CodeCancelled {
		r.Status = cancelled
	}
	r.Stalled = r.stallAtEnd()
	r.Phase, r.PhaseSince, r.HostError, s.pausedAt = "", 0, nil, 0
	s.Forget()
	s.open = openSpans{}
	s.ended.keepOnly(root.SpanID())
	s.row.OpenCalls = []OpenCall{} // gives its memory back
	s.show()
	s.announced = false
	u.Ended = true
	u.Events = append(u.Events, Event{
		Type: inspectorwire.TypeSessionFinished, Status: r.Status, EndTime: r.EndedAt, Error: r.Error, DurationMS: r.DurationMS,
	})
}

// stallAtEnd is why a session that was given up stalled; it is nil of any other.
func (r *Row) stallAtEnd() *Stall {
	switch {
	case r.EndReason != mcpconv.EndStalled:
		return nil
	case r.Stalled != nil:
		return r.Stalled
	}
	return &Stall{Reason: hostSilent, Detail: r.Phase, Since: r.EndedAt}
}
