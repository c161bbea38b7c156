package telemetry

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// PhaseStarted adds the log record of a phase.
func (b *Batch) PhaseStarted(s *store.SessionRecord, p *store.Phase) {
	if !b.opt.Logs || s.OfTrace() {
		return
	}
	b.out.from(serviceOf(s))
	lr := b.out.record(place{trace: p.Trace, span: p.Span, start: p.Start}, entry{name: mcpconv.LogPhaseStart})
	writePhase(&b.attrs, s, p)
	if s.Agent != nil {
		writeNow(&b.attrs, s)
	}
	b.attrs.into(lr.Attributes())
}

// PhaseEnded adds the span of a phase.
func (b *Batch) PhaseEnded(e *session.PhaseEnd) {
	if e.Session.OfTrace() {
		return
	}
	p := e.Phase
	span := b.out.span(serviceOf(e.Session))
	b.around(place{p.Trace, p.Span, p.Parent, p.Start, e.Time}).set(span)
	span.SetName(mcpconv.SpanPhase)
	writePhase(&b.attrs, e.Session, p)
	b.attrs.flag(mcpconv.Incomplete, e.Incomplete)
	outcome := session.Outcome{}
	if p.Name == mcpconv.PhaseError {
		outcome = session.Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther}
	}
	b.finish(span, &outcome)
}

// writeNow writes what is known of a coding agent as of now: it has no heartbeats, and
// its root comes at the end.
func writeNow(a *attrs, s *store.SessionRecord) {
	a.payloadText(mcpconv.HostTask, s.Task)
	writePlace(a, s)
	writeSources(a, s.Agent.Sources)
}

func writePhase(a *attrs, s *store.SessionRecord, p *store.Phase) {
	a.begin(noticeCapacity)
	a.session(s)
	a.str(mcpconv.HostPhase, p.Name)
}

// Watched adds the span of a call or host that does not move, or moves again.
func (b *Batch) Watched(w *session.Watch) {
	if c := w.Call; c != nil {
		b.out.from(c.Sender, serviceName(c.Key.FromClient))
	} else {
		b.out.from(serviceOf(w.Session))
	}
	span := b.out.nextSpan()
	p := place{w.Trace, w.Span, w.Parent, w.Time, w.Time}
	if w.Call != nil {
		p = b.around(p)
	}
	p.set(span)
	span.SetName(w.Name)
	a := &b.attrs
	a.begin(noticeCapacity)
	a.session(w.Session)
	if w.Call != nil {
		writeWatchedCall(a, w.Call)
	} else {
		writeWatchedHost(a, w.Session)
	}
	if w.Silent > 0 {
		a.int(mcpconv.Silence, w.Silent/int64(time.Millisecond))
	}
	e, outcome := watchEntry(w)
	b.finish(span, &outcome)
	b.out.echo(span, e)
}

func writeWatchedCall(a *attrs, c *store.CallRecord) {
	if !c.OfAgent() {
		a.inspector(mcpconv.RPCMethod, c.Method)
		a.otel(mcpconv.MethodName, c.Method)
	}
	if c.IsToolCall() {
		a.text(mcpconv.ToolName, c.Target)
	}
	a.str(mcpconv.RequestID, c.RequestID)
	if updates := c.Events(); len(updates) > 0 {
		a.payload(mcpconv.ProgressMessage, updates[len(updates)-1].Message)
	}
}

func writeWatchedHost(a *attrs, s *store.SessionRecord) {
	if p := s.Phase; p != nil {
		a.str(mcpconv.HostPhase, p.Name)
	}
	a.payloadText(mcpconv.HostTask, s.Task)
}

// watchEntry is the log record, whose body can be read without the attributes,
// and the outcome of the span.
func watchEntry(w *session.Watch) (entry, session.Outcome) {
	e := entry{name: w.Name, severity: plog.SeverityNumberWarn}
	silent := time.Duration(w.Silent).Round(time.Second)
	switch w.Name {
	case mcpconv.SpanHostStalled:
		e.body = fmt.Sprintf("The agent host has been silent for %v", silent)
		if p := w.Session.Phase; p != nil {
			e.body += " in phase " + p.Name
		}
	case mcpconv.SpanHostUnknown:
		e.body = fmt.Sprintf("Nothing has been heard of the agent host for %v: it may have gone", silent)
		return e, session.Outcome{}
	case mcpconv.SpanCallStuck:
		e.body = fmt.Sprintf("%s has not returned for %v", callTitle(w.Call), silent)
	case mcpconv.SpanHostResumed:
		return entry{name: w.Name, body: "The agent host is heard of again"}, session.Outcome{}
	default:
		return entry{name: w.Name, body: callTitle(w.Call) + " moves again"}, session.Outcome{}
	}
	return e, session.Outcome{Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: e.body}
}

// callTitle is the call in words.
func callTitle(c *store.CallRecord) string {
	if c.OfAgent() {
		return "The tool " + c.Target
	}
	if c.Target == "" {
		return c.Method
	}
	return c.Method + " " + c.Target
}
