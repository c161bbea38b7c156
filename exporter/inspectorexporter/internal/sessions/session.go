package sessions

import (
	"container/list"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/nature"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/tally"
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

	// While it runs:
	live       bool // this run was told of it
	root       pcommon.SpanID
	trace      pcommon.TraceID
	began      Time   // start of the root that ended last
	former     Time   // and its end, if the session has begun again since
	formerRoot string // and its id then
	announced  bool   // SessionStarted was told since it was opened
	open       openSpans
	ended      endedSpans
	told       string    // the state that the last Tick saw: others look in between
	recorded   *recorded // nil of a session that no receiver of ours keeps
	tally.Tally
	nature.Nature
	pulse
	throttle
	personal
}

// heardOf takes what all spans and log records tell.
func (s *session) heardOf(now, at Time, service string, m pcommon.Map) {
	r := &s.row
	r.LastSeen = max(r.LastSeen, now)
	r.told(m)
	if r.Host == "" && service != "" {
		r.Host = facts.Text(service)
	}
	r.named(at, m)
	facts.Set(&r.CurrentTask, m, mcpconv.HostTask)
	r.Filled(at, m)
}

// span takes one span; what it means depends on its name.
func (s *session) span(now Time, span ptrace.Span, role role, u *Update) {
	s.row.SpanCount++
	m := span.Attributes()
	s.open.sign(&s.row, figures.When(max(span.StartTimestamp(), span.EndTimestamp())), m)
	failed := HasFailed(span)
	if failed && !facts.IsWhole(span) {
		s.Failed(span, role == asRoot)
		s.Sum(&s.row.Totals)
	}
	switch name := span.Name(); {
	case name == mcpconv.SpanSessionStart:
		s.started(span, u)
	case name == mcpconv.SpanAgentStart:
		s.begin(span.ParentSpanID(), span.TraceID(), figures.When(span.StartTimestamp()), mcpconv.SpanAgent, m, u)
	case name == mcpconv.SpanSignalStart:
		s.begin(span.ParentSpanID(), span.TraceID(), figures.When(span.StartTimestamp()), mcpconv.SpanSignalWait, m, u)
	case name == mcpconv.SpanSummary:
		s.row.Summed(m)
		s.TakeSummary(m)
		s.Sum(&s.row.Totals)
	case name == mcpconv.SpanHostStalled:
		s.silent(figures.When(span.StartTimestamp()), m)
	case name == mcpconv.SpanHostResumed:
		s.moved()
	case name == mcpconv.SpanCallStuck, name == mcpconv.SpanCallReturned:
		s.stuck(span.ParentSpanID(), name == mcpconv.SpanCallStuck, figures.When(span.StartTimestamp()))
	case role == asRoot:
		s.finish(span, failed, u)
	case span.EndTimestamp() == 0:
		s.begin(span.SpanID(), span.TraceID(), figures.When(span.StartTimestamp()), name, m, u)
		u.Opened = nil // its own line says so
	default:
		s.close(now, span, role == asGuest, u)
	}
	s.phase(span.Name(), figures.When(span.StartTimestamp()), figures.When(span.EndTimestamp()), m)
	s.pause(span)
	s.tellWait(&s.row, u)
}

// HasFailed reports what either status says: spans of mcp-agent carry only its
// own.
func HasFailed(span ptrace.Span) bool {
	return span.Status().Code() == ptrace.StatusCodeError || facts.Str(span.Attributes(), mcpconv.StatusCode) == statusError
}

// statusError is the value of mcp.status.code of what failed.
const statusError = "error"

// started takes the marker of a session or of its next epoch.
func (s *session) started(marker ptrace.Span, u *Update) {
	root := marker.ParentSpanID()
	if s.ended.has(root) && !s.again(figures.When(marker.StartTimestamp())) {
		return
	}
	if s.row.EndedAt != 0 {
		s.reopen()
		s.ended.forget(root)
	}
	s.row.foreign = false
	r := &s.row
	if at := figures.When(marker.StartTimestamp()); at != 0 && at < r.StartedAt {
		r.StartedAt = at
	}
	r.RootSpanID, r.TraceID = root.String(), marker.TraceID().String()
	r.SessionEpoch, _ = facts.Int(marker.Attributes(), mcpconv.SessionEpoch)
	u.Opened = &Opening{Name: mcpconv.SpanWorkflow, Span: root}
	s.root, s.trace = root, marker.TraceID()
}

// announce tells of a session that began, once.
func (s *session) announce(u *Update) {
	if s.announced || s.row.EndedAt != 0 {
		return
	}
	s.announced = true
	s.row.title()
	engine, title := s.row.Engine, s.row.Title
	u.Events = append(u.Events, Event{
		Type: inspectorwire.TypeSessionStarted, Engine: &engine, Title: &title, StartTime: s.row.StartedAt,
	})
}
