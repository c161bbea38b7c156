package otlp

import (
	"cmp"
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Draft is a report in the making. A decoder keeps one and uses it again for
// each record or span: begin it with Log or Span, Emit the events, and hand out
// what Done returns.
type Draft struct {
	Attributes                  // of the record or span
	SelfReport event.SelfReport // what all its events have
	Facts      event.Facts      // likewise, if any of them is set
	Report     Report

	facts  event.Facts // of the last report
	events []event.Event
}

// maxEvents limits the events of a report.
const maxEvents = 64

// Log begins the report of a log record. The name is that of the agent's event.
func (d *Draft) Log(agent string, r plog.LogRecord, name string) {
	d.begin(agent, Of(r.Attributes()), name, event.AgentLog)
	d.Report.Time = d.timeOf(r)
	d.SelfReport.Time = d.Report.Time
}

// ahead limits how far an agent's clock may be ahead of the observer's, in ns.
const ahead = int64(time.Hour)

// timeOf is when the record says that it happened, else when it was observed: nothing
// happens long after that. 0 if it says neither.
func (d *Draft) timeOf(r plog.LogRecord) int64 {
	at, observed := cmp.Or(Nanos(r.Timestamp()), d.Time("event.timestamp")), Nanos(r.ObservedTimestamp())
	if at == 0 || observed != 0 && at > observed+ahead {
		return observed
	}
	return at
}

// Span begins the report of a span. Its time is the span's end.
func (d *Draft) Span(agent string, s ptrace.Span) {
	d.begin(agent, Of(s.Attributes()), s.Name(), event.AgentSpan)
	d.SelfReport.Native = NativeOf(s)
	d.Report.Time, d.Report.Trace = d.SelfReport.Native.End, d.SelfReport.Native.Trace
	d.SelfReport.Time = d.Report.Time
}

func (d *Draft) begin(agent string, a Attributes, name string, source event.Source) {
	d.Attributes, d.Facts = a, event.Facts{}
	d.SelfReport = event.SelfReport{Notice: event.Notice{
		Contact: event.Contact{Method: name}, Source: source, FromClient: true,
	}}
	d.Report = Report{Agent: agent}
	clear(d.events)
	d.events = d.events[:0]
}

// Emit adds an event to the report.
func (d *Draft) Emit(e event.Event) {
	if len(d.events) < maxEvents {
		d.events = append(d.events, e)
		d.Report.Events = d.events
	}
}

// At returns an event at that time, with the fields that all events of the draft have.
func (d *Draft) At(ns int64) event.SelfReport {
	a := d.SelfReport
	a.Time = ns
	return a
}

// about are all events of agents.
type about interface{ About() *event.SelfReport }

// Done is the finished report. Without a session and a trace there is nothing that
// its events could belong to.
func (d *Draft) Done() *Report {
	if d.Report.Session == "" && d.Report.Trace.IsZero() {
		d.Report.Events = nil
	}
	var facts *event.Facts
	if f := &d.Facts; f.Version != "" || f.Model != "" || f.Window != 0 || f.Dir != "" || f.Branch != "" {
		d.facts, facts = d.Facts, &d.facts
	}
	for _, e := range d.Report.Events {
		if a, ok := e.(about); ok {
			a.About().Invalid = cmp.Or(a.About().Invalid, d.Invalid())
			a.About().Facts = facts
		}
	}
	return &d.Report
}

// Nanos is a time in Unix ns, 0 if there is none or none that can be.
func Nanos(t pcommon.Timestamp) int64 {
	if t > math.MaxInt64 {
		return 0
	}
	return int64(t)
}

// NativeOf is the span as events refer to it. It does not end before it starts.
func NativeOf(s ptrace.Span) event.Native {
	n := event.Native{
		Trace: identity.TraceID(s.TraceID()), Span: identity.SpanID(s.SpanID()), Parent: identity.SpanID(s.ParentSpanID()),
		Start: Nanos(s.StartTimestamp()), End: Nanos(s.EndTimestamp()),
	}
	n.Start = cmp.Or(n.Start, n.End)
	n.End = max(n.Start, n.End)
	return n
}

// Before is the time that lies a duration before another, as far as there is
// such a time.
func Before(end, duration int64) int64 {
	if end == 0 {
		return 0
	}
	return max(end-duration, 1)
}

// String is a string of a map, "" if it has none.
func String(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
