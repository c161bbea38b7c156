package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// inspectorName is the service of everything that an Inspector tells.
const inspectorName = "mcp-agent"

// event writes what an Inspector event tells.
func (b *Batch) event(e *session.Event) {
	a := &b.attrs
	switch e.Kind {
	case session.EventBeat:
		a.int(mcpconv.HeartbeatLLM, e.LLMCalls)
		a.int(mcpconv.HeartbeatTokens, e.Tokens)
		a.int(mcpconv.HeartbeatTools, e.ToolCalls)
	case session.EventResource:
		a.str(mcpconv.ResourceURI, a.text(e.URI))
		a.str(mcpconv.ResourceMimeType, a.text(e.MimeType))
		if e.HasBytes {
			a.int(mcpconv.ResourceBytes, e.Bytes)
		}
	case session.EventPrompt:
		name := a.text(e.Template)
		a.inspector(mcpconv.PromptTemplate, name)
		a.otel(mcpconv.GenAIPromptName, name)
		a.payload(mcpconv.PromptParameters, strings.Clone(e.Parameters))
	case session.EventProgress:
		a.str(mcpconv.ProgressToken, a.text(e.Token))
		if e.HasPercent {
			a.float(mcpconv.ProgressPercent, e.Percent)
		}
		a.payload(mcpconv.ProgressMessage, a.text(e.Message))
	}
	if b.opt.Payloads {
		a.str(mcpconv.NoticeParams, strings.Clone(e.Raw))
	}
}

// WaitStarted adds the marker of a wait.
func (b *Batch) WaitStarted(s *session.Session, w *session.Wait, marker identity.SpanID) {
	span := b.waitSpan(s, w)
	fill(span, place{w.Trace, marker, w.Span, w.Start, w.Start})
	span.SetName(mcpconv.SpanSignalStart)
	b.wait(s, w)
	b.conclude(span, &session.Outcome{})
	b.echo(span, entry{name: mcpconv.SpanSignalStart, severity: plog.SeverityNumberWarn, span: w.Span})
}

// WaitEnded adds the span of a wait.
func (b *Batch) WaitEnded(e *session.WaitEnd) {
	span := b.waitSpan(e.Session, e.Wait)
	fill(span, place{e.Wait.Trace, e.Wait.Span, e.Wait.Parent, e.Wait.Start, e.Time})
	span.SetName(mcpconv.SpanSignalWait)
	b.wait(e.Session, e.Wait)
	b.attrs.str(mcpconv.SignalAction, b.attrs.text(e.Action))
	b.attrs.yes(mcpconv.Incomplete, e.Incomplete)
	b.conclude(span, &session.Outcome{})
}

// waitSpan is a span of whoever waits: a call's sender, or the session's agent.
func (b *Batch) waitSpan(s *session.Session, w *session.Wait) ptrace.Span {
	if c := w.Call; c != nil {
		return b.span(c.Sender, defaultName(c.FromClient))
	}
	return b.span(serviceOf(s))
}

func (b *Batch) wait(s *session.Session, w *session.Wait) {
	a := &b.attrs
	a.begin(roomOfNotice)
	a.session(s)
	a.str(mcpconv.SignalName, w.Name)
	a.payload(mcpconv.SignalPrompt, w.Prompt)
	a.payload(mcpconv.SignalSchema, w.Schema)
	a.str(mcpconv.Invalid, w.Invalid)
}
