package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// inspectorName is the service of everything that an Inspector reports.
const inspectorName = "mcp-agent"

// writeDeltas writes an Inspector's heartbeat.
func writeDeltas(a *attrs, d *event.Deltas) {
	a.int(mcpconv.HeartbeatLLM, d.LLMCalls)
	a.int(mcpconv.HeartbeatTokens, d.Tokens)
	a.int(mcpconv.HeartbeatTools, d.ToolCalls)
}

// writeResourceUsed writes the reading of a resource. Its span may have the name
// of the semantic conventions, as may the prompt's.
func writeResourceUsed(a *attrs, r *event.ResourceUsed, v *view) {
	if a.opt.SemconvNames {
		v.span = mcpconv.MethodResourcesRead
	}
	a.textCopy(mcpconv.ResourceURI, r.URI)
	a.textCopy(mcpconv.ResourceMimeType, r.MimeType)
	if r.HasBytes {
		a.int(mcpconv.ResourceBytes, r.Bytes)
	}
}

// writePromptUsed writes the use of a prompt template.
func writePromptUsed(a *attrs, p *event.PromptUsed, v *view) {
	name := a.copy(p.Template)
	if a.opt.SemconvNames {
		v.span = strings.TrimRight(mcpconv.MethodPromptsGet+" "+a.cut(name), " ")
	}
	a.names(mcpconv.PromptTemplate, mcpconv.GenAIPromptName, name)
	a.payloadCopy(mcpconv.PromptParameters, p.Parameters)
}

// writeWorkflowProgress writes how far a workflow is.
func writeWorkflowProgress(a *attrs, p *event.WorkflowProgress) {
	a.textCopy(mcpconv.ProgressToken, p.Token)
	if p.HasPercent {
		a.float(mcpconv.ProgressPercent, p.Percent)
	}
	a.payloadText(mcpconv.ProgressMessage, p.Message)
}

// WaitStarted adds the marker of a wait.
func (b *Batch) WaitStarted(e *session.WaitStart) {
	w := e.Wait
	span := b.waitSpan(e.Session, e.Call)
	place{w.Trace, e.Marker, w.Span, w.Start, w.Start}.set(span)
	span.SetName(mcpconv.SpanSignalStart)
	writeWait(&b.attrs, e.Session, w)
	b.finish(span, &session.Outcome{})
	b.out.echo(span, entry{name: mcpconv.SpanSignalStart, severity: plog.SeverityNumberWarn, span: w.Span})
}

// WaitEnded adds the span of a wait.
func (b *Batch) WaitEnded(e *session.WaitEnd) {
	w, a := e.Wait, &b.attrs
	span := b.waitSpan(e.Session, e.Call)
	b.around(place{w.Trace, w.Span, w.Parent, w.Start, e.Time}).set(span)
	span.SetName(mcpconv.SpanSignalWait)
	writeWait(&b.attrs, e.Session, w)
	a.textCopy(mcpconv.SignalAction, e.Action)
	a.flag(mcpconv.Incomplete, e.Incomplete)
	b.finish(span, &session.Outcome{})
}

// waitSpan is a span of the call's sender, or of the session's agent if no call
// waits.
func (b *Batch) waitSpan(s *store.SessionRecord, c *store.CallRecord) ptrace.Span {
	if c != nil {
		return b.out.span(c.Sender, serviceName(c.Key.FromClient))
	}
	return b.out.span(serviceOf(s))
}

// writeWait writes what a wait's marker and span have in common.
func writeWait(a *attrs, s *store.SessionRecord, w *store.Wait) {
	a.begin(noticeCapacity)
	a.session(s)
	a.text(mcpconv.SignalName, w.Name)
	a.payload(mcpconv.SignalPrompt, w.Prompt)
	a.payload(mcpconv.SignalSchema, w.Schema)
	a.str(mcpconv.Invalid, w.Invalid)
}
