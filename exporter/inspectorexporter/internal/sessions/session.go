package sessions

import (
	"cmp"
	"container/list"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// session is one row and what is needed to keep it right.
type session struct {
	row     Row
	at      *list.Element // in changelog
	version uint64
	json    []byte // of the row; nil if it changed
	claimed

	live     bool // this run received something of it
	ours     bool // a receiver of ours sent something of it
	serves   bool // it has the server's half of a call
	shown    shown
	plain    plain
	recordAt Time // when the last state record came
	heard    Time // the time of the last state record
	lines    lines
	stage    stage
	over     Time                      // when the session ended that finished last
	waits    map[pcommon.SpanID]string // the signals that are waited for, by the span of the wait
	pulse
	throttle
}

// shown is what time alone changes of a row, as the last Tick saw it.
type shown struct {
	state  string
	silent Time
}

// stage is which of a session's events were published last.
type stage uint8

const (
	unannounced stage = iota
	announced
	finished
)

// plain is what the spans of a trace without state records say: the root that ended
// last, and when the last span began.
type plain struct {
	began, end, last Time
	title, name, err string
	failed           bool
	paused, working  Time // when it paused last, and when work or the end of a pause was reported
}

// lines remembers which spans have a line in the session's file, so that a start that
// comes late, or twice, writes none.
type lines struct {
	opened, ended ring[pcommon.SpanID]
	root          Time // the latest start of a root that has one
}

// maxLines is how many spans of a session are remembered.
const maxLines = 512

// open reports whether the span that runs has no line yet.
func (l *lines) open(id pcommon.SpanID) bool {
	if l.opened.Has(id) || l.ended.Has(id) {
		return false
	}
	l.opened.Add(id, maxLines)
	return true
}

// end reports whether the end of the span is new.
func (l *lines) end(id pcommon.SpanID) bool {
	if l.ended.Has(id) {
		return false
	}
	l.ended.Add(id, maxLines)
	return true
}

// span applies one span of a session.
func (s *session) span(now Time, span ptrace.Span, role role, u *Update) {
	s.row.SpanCount++
	m, start := span.Attributes(), when(span.StartTimestamp())
	switch name := span.Name(); {
	case name == mcpconv.SpanSessionStart:
		s.started(span, u)
	case name == mcpconv.SpanAgentStart:
		s.begin(span.ParentSpanID(), span.TraceID(), start, mcpconv.SpanAgent, m, u)
	case name == mcpconv.SpanSignalStart:
		s.begin(span.ParentSpanID(), span.TraceID(), start, mcpconv.SpanSignalWait, m, u)
	case span.EndTimestamp() == 0:
		s.begin(span.SpanID(), span.TraceID(), start, name, m, u)
		u.Opened = nil // the span's own line
	default:
		s.close(now, span, u)
	}
	if role == asRoot {
		s.rootEnded(span)
		u.Ended = true
	}
	if role != asGuest {
		s.plain.last = max(s.plain.last, start)
		s.plain.pauses(span)
	}
}

// started opens the root's line with the marker of a session or of its next epoch.
func (s *session) started(marker ptrace.Span, u *Update) {
	root, at := marker.ParentSpanID(), when(marker.StartTimestamp())
	if at <= s.lines.root {
		return
	}
	s.lines.root = at
	attribute.Set(&s.plain.title, marker.Attributes(), mcpconv.SessionTitle)
	u.Opened = &Opening{Name: mcpconv.SpanWorkflow, Span: root}
	if !s.row.recorded() {
		s.row.RootSpanID, s.row.TraceID = root.String(), marker.TraceID().String()
		s.row.runBy(marker.Attributes())
	}
}

// begin opens the line of a span that runs.
func (s *session) begin(id pcommon.SpanID, trace pcommon.TraceID, at Time, name string, m pcommon.Map, u *Update) {
	if id.IsEmpty() || s.row.EndedAt != 0 && at <= s.row.EndedAt || !s.lines.open(id) {
		return
	}
	u.Opened = &Opening{Name: name, Span: id}
	if trace.String() == s.row.TraceID {
		u.Opened.Parent = attribute.ParseSpanID(s.row.RootSpanID)
	}
	if name == mcpconv.SpanSignalWait {
		s.waitsFor(id, at, m, u)
	}
}

// maxWaits is how many signals of a session are known to be waited for.
const maxWaits = 100

func (s *session) waitsFor(id pcommon.SpanID, at Time, m pcommon.Map, u *Update) {
	if len(s.waits) >= maxWaits {
		return
	}
	if s.waits == nil {
		s.waits = map[pcommon.SpanID]string{}
	}
	name := attribute.Text(attribute.Str(m, mcpconv.SignalName))
	s.waits[id] = name
	schema := schemaOf(attribute.Str(m, mcpconv.SignalSchema))
	u.Events = append(u.Events, Event{
		Type: inspectorwire.TypeWaitingOnSignal, SignalName: &name, Prompt: attribute.Text(attribute.Str(m, mcpconv.SignalPrompt)),
		Schema: schema, Signal: schema, Timestamp: at,
	})
}

// close publishes what the end of a span means, once.
func (s *session) close(now Time, span ptrace.Span, u *Update) {
	first := s.lines.end(span.SpanID())
	ids := []pcommon.SpanID{span.SpanID()}
	if id := attribute.AnnouncedAs(span.Attributes()); !id.IsEmpty() {
		s.lines.end(id)
		ids = append(ids, id)
	}
	for _, id := range ids {
		if name, waited := s.waits[id]; waited {
			delete(s.waits, id)
			u.Events = append(u.Events, Event{
				Type: inspectorwire.TypeSignalReceived, SignalName: &name, Timestamp: when(span.EndTimestamp()),
			})
		}
	}
	if first {
		s.passed(now, span, u)
	}
}

// rootEnded keeps how the root ended; the latest one decides how a trace without state
// records ended.
func (s *session) rootEnded(root ptrace.Span) {
	end := when(root.EndTimestamp())
	if end < s.plain.end {
		return
	}
	failed := HasFailed(root)
	s.plain.end, s.plain.began, s.plain.failed, s.plain.name = end, when(root.StartTimestamp()), failed, attribute.Text(root.Name())
	s.plain.err = ""
	attribute.Set(&s.plain.title, root.Attributes(), mcpconv.SessionTitle)
	s.lines.root = max(s.lines.root, s.plain.began)
	if failed {
		s.plain.err = attribute.Text(cmp.Or(attribute.Str(root.Attributes(), mcpconv.ErrorMessage), root.Status().Message()))
	}
	if !s.row.recorded() {
		s.row.RootSpanID, s.row.TraceID = root.SpanID().String(), root.TraceID().String()
		s.row.runBy(root.Attributes())
	}
}

// HasFailed reports what either status says: spans of mcp-agent carry only its
// own.
func HasFailed(span ptrace.Span) bool {
	return span.Status().Code() == ptrace.StatusCodeError || attribute.Str(span.Attributes(), mcpconv.StatusCode) == statusError
}

// statusError is the value of mcp.status.code of what failed.
const statusError = "error"

// publish adds the events of a session that began or ended since the last one. Sessions
// that a receiver of ours keeps begin with their first state record, or event.
func (s *session) publish(u *Update) {
	over := s.row.EndedAt != 0
	switch {
	case over && s.stage == finished, !over && (s.stage == announced || s.ours && !s.row.recorded() && len(u.Events) == 0):
		return
	case !over && s.stage == finished && max(s.heard, s.plain.last) <= s.over:
		return // what is late reopens nothing
	}
	var events []Event
	if s.stage != announced {
		s.row.title()
		engine, title := s.row.Engine, s.row.Title
		events = append(events, Event{Type: inspectorwire.TypeSessionStarted, Engine: &engine, Title: &title, StartTime: s.row.StartedAt})
	}
	u.Events = append(events, u.Events...)
	if s.stage = announced; over {
		s.stage, s.over, s.waits, s.lines = finished, s.row.EndedAt, nil, lines{root: s.lines.root} // ended sessions are many
		u.Ended = true
		u.Events = append(u.Events, Event{
			Type: inspectorwire.TypeSessionFinished, Status: s.row.Status, EndTime: s.row.EndedAt, Error: s.row.Error, DurationMS: s.row.DurationMS,
		})
	}
}

// pauses keeps whether the trace waits: it says so, until it says otherwise or work begins.
func (p *plain) pauses(span ptrace.Span) {
	start, end := when(span.StartTimestamp()), when(span.EndTimestamp())
	switch paused, told := attribute.Bool(span.Attributes(), mcpconv.SessionPaused); {
	case told && paused:
		p.paused = max(p.paused, start, end)
	case told:
		p.working = max(p.working, start, end)
	case start != end:
		p.working = max(p.working, start)
	}
}

// waited publishes a wait for a person that no signal stands for, and its end.
func waited(was, now *Wait, at Time, u *Update) {
	before, name := approval(was), approval(now)
	if before == name {
		return
	}
	if before != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeSignalReceived, SignalName: &before, Timestamp: at})
	}
	if name != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeWaitingOnSignal, SignalName: &name, Timestamp: now.Since})
	}
}

// approval returns the name of a wait that no span of a signal reports, "" for any other.
func approval(w *Wait) string {
	if w == nil || w.Name != mcpconv.WaitApproval || w.Kind != mcpconv.WaitApproval && w.Kind != mcpconv.WaitQuestion {
		return ""
	}
	return w.Name
}
