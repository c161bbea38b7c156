package telemetry

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// PhaseStarted adds the log record of a phase.
func (b *Batch) PhaseStarted(s *session.Session, p *session.Phase) {
	if !b.opt.Logs {
		return
	}
	b.from(serviceOf(s))
	lr := b.record(place{trace: p.Trace, span: p.Span, start: p.Start}, entry{name: mcpconv.LogPhaseStart})
	b.phase(s, p)
	b.attrs.mb.UnsafeIntoMap(lr.Attributes())
}

// PhaseEnded adds the span of a phase.
func (b *Batch) PhaseEnded(e *session.PhaseEnd) {
	p := e.Phase
	span := b.span(serviceOf(e.Session))
	fill(span, place{p.Trace, p.Span, p.Parent, p.Start, e.Time})
	span.SetName(mcpconv.SpanPhase)
	b.phase(e.Session, p)
	b.attrs.yes(mcpconv.Incomplete, e.Incomplete)
	outcome := session.Outcome{}
	if p.Name == mcpconv.PhaseError {
		outcome = session.Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther}
	}
	b.conclude(span, &outcome)
}

func (b *Batch) phase(s *session.Session, p *session.Phase) {
	b.attrs.begin(roomOfNotice)
	b.attrs.session(s)
	b.attrs.str(mcpconv.HostPhase, p.Name)
}

// Watched adds the span of something that does not move, or moves again.
func (b *Batch) Watched(w *session.Watch) {
	if c := w.Call; c != nil {
		b.from(c.Sender, defaultName(c.FromClient))
	} else {
		b.from(serviceOf(w.Session))
	}
	span := b.nextSpan()
	fill(span, place{w.Trace, w.Span, w.Parent, w.Time, w.Time})
	span.SetName(w.Name)
	a := &b.attrs
	a.begin(roomOfNotice)
	a.session(w.Session)
	b.subject(w)
	if w.Silent > 0 {
		a.int(mcpconv.Silence, w.Silent/int64(time.Millisecond))
	}
	e, outcome := verdict(w)
	b.conclude(span, &outcome)
	b.echo(span, e)
}

// subject writes what was going on.
func (b *Batch) subject(w *session.Watch) {
	a := &b.attrs
	if c := w.Call; c != nil {
		if !c.Hook {
			a.inspector(mcpconv.RPCMethod, c.Method)
			a.otel(mcpconv.MethodName, c.Method)
		}
		if c.Method == mcpconv.MethodToolsCall {
			a.inspector(mcpconv.ToolName, c.Target)
			a.otel(mcpconv.GenAIToolName, c.Target)
		}
		a.str(mcpconv.RequestID, c.RequestID)
		if events := c.Events(); len(events) > 0 {
			a.payload(mcpconv.ProgressMessage, events[len(events)-1].Message)
		}
		return
	}
	if p := w.Session.Phase; p != nil {
		a.str(mcpconv.HostPhase, p.Name)
	}
	a.payload(mcpconv.HostTask, w.Session.Task)
}

// verdict is how bad it is, in words that need no look at the attributes.
func verdict(w *session.Watch) (entry, session.Outcome) {
	e := entry{name: w.Name, severity: plog.SeverityNumberWarn}
	silent := time.Duration(w.Silent).Round(time.Second)
	switch w.Name {
	case mcpconv.SpanHostStalled:
		e.body = fmt.Sprintf("The agent host has been silent for %v", silent)
		if p := w.Session.Phase; p != nil {
			e.body += " in phase " + p.Name
		}
	case mcpconv.SpanCallStuck:
		e.body = fmt.Sprintf("%s has not returned for %v", callTitle(w.Call), silent)
	case mcpconv.SpanHostResumed:
		return entry{name: w.Name, body: "The agent host is heard of again"}, session.Outcome{}
	default:
		return entry{name: w.Name, body: callTitle(w.Call) + " moves again"}, session.Outcome{}
	}
	return e, session.Outcome{Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: e.body}
}

func callTitle(c *session.Call) string {
	if c.Hook {
		return "The tool " + c.Target
	}
	if c.Target == "" {
		return c.Method
	}
	return c.Method + " " + c.Target
}
