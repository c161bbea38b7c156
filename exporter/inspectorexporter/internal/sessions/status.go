package sessions

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// show writes what is open into the row.
func (s *session) show() {
	r := &s.row
	calls := make([]*openSpan, 0, len(s.open))
	for _, o := range s.open {
		calls = append(calls, o)
	}
	slices.SortFunc(calls, func(a, b *openSpan) int {
		return cmp.Or(cmp.Compare(a.call.StartedAt, b.call.StartedAt), cmp.Compare(a.call.SpanID, b.call.SpanID))
	})
	r.OpenCalls, r.OpenCount, r.Waiting = []OpenCall{}, 0, nil
	stuck := false
	for _, o := range calls {
		stuck = stuck || o.call.Stuck
		if o.wait {
			if r.Waiting == nil {
				r.Waiting = &Wait{Name: o.call.Detail, Prompt: o.prompt, SpanID: o.call.SpanID, Since: o.call.StartedAt}
			}
			continue
		}
		if r.OpenCount++; len(r.OpenCalls) < maxOpenShown {
			r.OpenCalls = append(r.OpenCalls, o.call)
		}
	}
	if name, since := s.wait(); r.Waiting == nil && name != "" {
		r.Waiting = &Wait{Name: name, Since: since}
	}
	if r.Stalled != nil && r.Stalled.Reason == stuckCall && !stuck {
		r.Stalled = nil
	}
}

const stuckCall = "call_stuck"

// stuck marks a call that hangs, or that moves again.
func (s *session) stuck(id pcommon.SpanID, yes bool, at Time) {
	o := s.open[id]
	if o == nil {
		return
	}
	o.call.Stuck = yes
	s.show()
	if yes && s.row.Stalled == nil {
		s.row.Stalled = &Stall{Reason: stuckCall, Detail: cmp.Or(o.call.Detail, o.call.Name), Since: at}
	}
}

// silent: the host gives none.
func (s *session) silent(at Time, m pcommon.Map) {
	if s.row.EndedAt == 0 {
		s.row.Stalled = &Stall{Reason: hostSilent, Detail: text(str(m, mcpconv.HostPhase)), Since: at}
	}
}

const hostSilent = "host_silent"

// moved: the host gives a sign of life.
func (s *session) moved() {
	if st := s.row.Stalled; st != nil && st.Reason == hostSilent {
		s.row.Stalled = nil
	}
}

// beat takes what a host tells of itself, whatever carries it.
func (s *session) beat(now Time, m pcommon.Map) {
	r := &s.row
	set(&r.CurrentTask, m, mcpconv.HostTask)
	used, ok := number(m, mcpconv.HostTokensUsed)
	if !ok || used < 0 {
		return
	}
	t := Tokens{Used: used}
	if r.Tokens != nil {
		t.Limit = r.Tokens.Limit
	}
	if limit, ok := number(m, mcpconv.HostTokensLimit); ok && limit > 0 {
		t.Limit = limit
	}
	if share, ok := float(m, mcpconv.HostTokensShare); ok && share >= 0 && share <= math.MaxInt32 { // JSON has no infinity
		t.Percent = share
	} else if t.Limit > 0 {
		t.Percent = percent(used, t.Limit)
	}
	r.Tokens = &t
	r.spark(now, used)
}

// phase takes a host's phase from a notice or a log record, and its end from the
// span of the phase.
func (s *session) phase(name string, start, end Time, m pcommon.Map) {
	r := &s.row
	phase := str(m, mcpconv.HostPhase)
	switch {
	case name == mcpconv.HostCompacting:
		phase = "compacting"
	case !isPhase(phase) || name == mcpconv.SpanHostStalled || name == mcpconv.SpanHostResumed:
		return
	case name == mcpconv.SpanPhase && end > start:
		if r.Phase == phase && r.PhaseSince <= end {
			s.enter("", end)
		}
		return
	}
	s.moved()
	if phase != r.Phase && start >= r.PhaseSince {
		s.enter(text(phase), start)
	}
}

// exit says that a server's process failed, if nothing else tells of it.
func exit(m pcommon.Map) string {
	code, _ := number(m, mcpconv.ExitCode)
	if code == 0 {
		return ""
	}
	return fmt.Sprintf("The server ended with exit code %d", code)
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

// add sums what comes as differences.
func (s *session) add(tokens int64) {
	var t Tokens
	if s.row.Tokens != nil {
		t = *s.row.Tokens
	}
	t.Used += tokens
	s.row.Tokens = &t
	s.row.spark(s.row.LastSeen, t.Used)
}

func (s *session) summary(m pcommon.Map) {
	if tokens, ok := number(m, mcpconv.SummaryTokens); ok && tokens > 0 {
		var t Tokens
		if s.row.Tokens != nil {
			t = *s.row.Tokens
		}
		t.Used = tokens
		s.row.Tokens = &t
	}
}

// finish takes the root. What is open then is over, too.
func (s *session) finish(root ptrace.Span, failed bool, u *Update) {
	r := &s.row
	start, end := when(root.StartTimestamp()), when(root.EndTimestamp())
	if end <= s.former && root.SpanID().String() == s.formerRoot || !s.note(root.SpanID()) {
		return // a repeat
	}
	m := root.Attributes()
	if epoch, _ := number(m, mcpconv.SessionEpoch); epoch < r.SessionEpoch {
		return // of an earlier epoch, and late
	}
	if start != 0 {
		r.StartedAt = min(r.StartedAt, start)
	}
	r.RootSpanID, r.TraceID, s.began = root.SpanID().String(), root.TraceID().String(), start
	s.announce(u)
	r.EndedAt, r.DurationMS = max(end, r.StartedAt), int64(max(0, end-start))/1e6
	r.EndReason = text(str(m, mcpconv.SessionEndReason))
	if s.former != 0 && r.EndReason == "" {
		r.DurationMS = int64(r.EndedAt-r.StartedAt) / 1e6
	}
	r.Status = completed
	if failed {
		r.Status, r.Error = Failed, text(cmp.Or(str(m, mcpconv.ErrorMessage), root.Status().Message(), exit(m)))
	}
	if failed && str(m, mcpconv.ErrorCode) == mcpconv.CodeCancelled {
		r.Status = cancelled
	}
	r.Phase, r.PhaseSince, r.Stalled, s.pausedAt = "", 0, nil, 0
	s.open, s.ended = nil, []pcommon.SpanID{root.SpanID()} // sessions that ended are many
	s.show()
	s.announced = false
	u.Ended = true
	u.Events = append(u.Events, Event{
		Type: inspectorwire.TypeSessionFinished, Status: r.Status, EndTime: r.EndedAt, Error: r.Error, DurationMS: r.DurationMS,
	})
}
