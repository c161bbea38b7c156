package store_test

import (
	"fmt"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// story is a Sink that writes down what is reported, one line each.
type story struct {
	engine   *session.Engine
	lines    []string
	started  map[*store.SessionRecord]int
	ended    map[*store.SessionRecord]int
	calls    map[*store.CallRecord]int
	measured int                       // operations of MCP that agents and messages report of tools
	natives  map[*store.CallRecord]int // those of calls that are agents' own spans
	waits    map[identity.SpanID]int   // started minus ended
	phases   map[*store.Phase]int
	agents   map[identity.SpanID]int // by their spans: one below a turn is reported as a copy
	silences []silence
}

// silence is that something does not move, moves again, or is over.
type silence struct {
	about any // a *store.CallRecord, or the id of a session
	what  string
	fault string // why it should not have been reported
}

// over is what ends a silence that nothing else ends.
const over = "over"

func newStory(e *session.Engine) *story {
	return &story{
		engine:  e,
		started: map[*store.SessionRecord]int{}, ended: map[*store.SessionRecord]int{},
		calls: map[*store.CallRecord]int{}, natives: map[*store.CallRecord]int{}, waits: map[identity.SpanID]int{},
		phases: map[*store.Phase]int{}, agents: map[identity.SpanID]int{},
	}
}

func (s *story) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// at is where a span stands; what belongs to no session has random IDs.
func at(s *store.SessionRecord, trace identity.TraceID, span, parent identity.SpanID) string {
	if s == nil || s.Connection {
		return "nowhere"
	}
	return fmt.Sprintf("%s/%s<%s", trace, span, parent)
}

func (s *story) SessionStarted(x *store.SessionRecord, marker identity.SpanID) {
	s.started[x]++
	s.add("start %s epoch %d %s at %d", x.Identity, x.Number, at(x, x.Trace, marker, x.Root), x.Start)
}

func (s *story) SessionEnded(e *session.SessionEnd) {
	x := e.Session
	s.ended[x]++
	if e.Reason != mcpconv.EndMaxSpans { // else what is open goes on
		s.silences = append(s.silences, silence{about: x.ID, what: over})
	}
	s.add("end %s %s %d..%d %s %v failed %t cancelled %t %q exit %v", x.Identity, at(x, x.Trace, x.Root, e.Summary),
		x.Start, e.Time, e.Reason, e.Totals, x.Failed, x.Cancelled, x.ErrorText, x.Exit != nil)
}

// SessionState says nothing new: what a row shows is what the rest of the story told.
func (s *story) SessionState(*session.SessionState) {}

func (s *story) CallStarted(e session.CallStart) {
	c := e.Call
	s.add("calling %s %s %s marker %t", c.Method, c.Key.ID, at(e.Session, c.Trace, c.Span, c.Parent), !e.Marker.IsZero())
}

func (s *story) PhaseStarted(x *store.SessionRecord, p *store.Phase) {
	s.phases[p]++
	s.add("phase %s %s at %d", p.Name, at(x, p.Trace, p.Span, p.Parent), p.Start)
}

func (s *story) PhaseEnded(e *session.PhaseEnd) {
	p := e.Phase
	s.phases[p]--
	s.add("phased %s %s %d..%d %t", p.Name, at(e.Session, p.Trace, p.Span, p.Parent), p.Start, e.Time, e.Incomplete)
}

func (s *story) AgentStarted(x *store.SessionRecord, a *store.Agent, marker identity.SpanID) {
	s.agents[a.Span]++
	s.add("agent %s %s marker %s", a.ID, at(x, a.Trace, a.Span, a.Parent), at(x, a.Trace, marker, a.Span))
}

func (s *story) AgentEnded(e *session.AgentEnd) {
	a := e.Agent
	if a.Seen {
		s.agents[a.Span]--
	}
	s.add("agent ended %s %s %d..%d %v %t", a.ID, at(e.Session, a.Trace, a.Span, a.Parent), a.Start, e.Time, e.Outcome, e.Incomplete)
}

func (s *story) InBand(in *session.InBand) (accepted, refused int) {
	s.add("in band %s", in.Spans)
	return 1, 1
}

func (s *story) Watched(w *session.Watch) {
	about := at(w.Session, w.Trace, identity.SpanID{}, w.Parent)
	s.silences = append(s.silences, s.silenceOf(w))
	s.add("watched %s %s at %d after %d", w.Name, about, w.Time, w.Silent)
}

// silenceOf is what was reported, and what speaks against it.
func (s *story) silenceOf(w *session.Watch) silence {
	if c := w.Call; c != nil {
		told := silence{about: c, what: w.Name}
		if w.Name == mcpconv.SpanCallStuck && (c.Dropped || mayWait(c)) {
			told.fault = "it may take its time"
		}
		return told
	}
	x := w.Session
	told := silence{about: x.ID, what: w.Name}
	if w.Name == mcpconv.SpanHostStalled {
		switch p := x.Phase; {
		case waitsForACall(tableOf(s.engine).Session(x.ID).Calls) || len(x.Waits) > 0:
			told.fault = "something is open"
		case p != nil && (p.Name == mcpconv.PhaseIdle || p.Name == mcpconv.PhaseApproval):
			told.fault = "it is " + p.Name
		}
	}
	return told
}

// mayWait reports whether the call may take any time.
func mayWait(c *store.CallRecord) bool {
	return mcpconv.Patient(c.Method) || c.Parked.Kind == store.ParkedTask || c.Parked.Kind == store.ParkedRound
}

func (s *story) CallEnded(e *session.CallEnd) {
	c := e.Call
	s.silences = append(s.silences, silence{about: c, what: over})
	s.calls[c]++
	if c.IsToolCall() && !c.OwnTool() && !e.Measured && e.News == nil && (c.Report == nil || !c.Report.Refused) {
		s.measured++
	}
	if e.Native != nil {
		s.natives[c]++
	}
	s.add("call %s %s %s %d..%d %v %t %t %v", c.Method, c.Key.ID, at(e.Session, c.Trace, c.Span, c.Parent),
		c.Start, e.Time, e.Outcome, e.Cancelled, e.Incomplete, c.Events())
}

func (s *story) WaitStarted(e *session.WaitStart) {
	w := e.Wait
	s.waits[w.Span]++
	s.add("wait %s %s marker %s", w.Name, at(e.Session, w.Trace, w.Span, w.Parent), at(e.Session, w.Trace, e.Marker, w.Span))
}

func (s *story) WaitEnded(e *session.WaitEnd) {
	w := e.Wait
	s.waits[w.Span]--
	s.add("waited %s %s %d..%d %t", w.Name, at(e.Session, w.Trace, w.Span, w.Parent), w.Start, e.Time, e.Incomplete)
}

func (s *story) Notice(n *session.Notice) {
	s.add("notice %s %s %d %v %q", n.Name, at(n.Session, n.Trace, n.Span, n.Parent), n.Time, n.Outcome, n.Invalid)
}

func (s *story) Occurred(o *session.Occurrence) {
	s.add("occurred %s %s %s/%s<%s %d %v %q", o.Method, o.Name, o.Trace, o.Span, o.Context.Span, o.Time, o.Outcome, o.Invalid)
}

// merge adds what another story has.
func (s *story) merge(o *story) {
	s.lines = append(s.lines, o.lines...)
	sum(s.started, o.started)
	sum(s.ended, o.ended)
	sum(s.calls, o.calls)
	sum(s.natives, o.natives)
	sum(s.waits, o.waits)
	sum(s.phases, o.phases)
	sum(s.agents, o.agents)
	s.silences = append(s.silences, o.silences...)
}

func sum[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}

// waitsForACall reports whether any is more than a ping, which is a sign of a
// process and not of its agent.
func waitsForACall(calls map[store.CallKey]*store.Call) bool {
	for _, c := range calls {
		if c.Method != mcpconv.MethodPing {
			return true
		}
	}
	return false
}
