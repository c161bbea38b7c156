package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// view holds the parts of a notice's telemetry that its family may change. What its
// strings alias is copied when it is used.
type view struct {
	entry
	span string // name
}

// Notice adds the zero-length span of a notice, and its log record.
func (b *Batch) Notice(n *session.Notice) {
	b.samples.Spent(n.Session, n.Tokens)
	span := b.noticeSpan(n)
	p := place{n.Trace, n.Span, n.Parent, n.Time, n.Time}
	if n.Session != nil && n.Parent != n.Session.Root {
		p = b.around(p)
	}
	p.set(span)
	noticeLinks(span, n)
	a := &b.attrs
	a.begin(noticeCapacity)
	a.session(n.Session)
	if isMessage(n) {
		writeMessage(a, n)
	}
	v := view{span: n.Name, entry: entry{name: n.Name, at: n.Own}}
	b.detail(n, &v)
	a.payloadCopy(mcpconv.NoticeParams, n.Params)
	a.str(mcpconv.Invalid, strings.Clone(n.Invalid))
	span.SetName(v.span)
	b.finish(span, &n.Outcome)
	if !b.opt.Logs || n.Source == event.AgentLog {
		return // the agent's own record is there
	}
	if v.severity == 0 {
		v.severity = noticeSeverities[n.Name]
	}
	v.text, v.body = strings.Clone(v.text), strings.Clone(v.body)
	b.out.echo(span, v.entry)
}

// detail writes what only notices of one family have.
func (b *Batch) detail(n *session.Notice, v *view) {
	a := &b.attrs
	switch d := n.Detail.(type) {
	case *event.HostStatus:
		b.samples.ContextUsed(d.TokensUsed, d.TokensLimit)
		writeHostStatus(a, d)
	case *event.HostReport:
		b.samples.Pressure(d.Percent)
		writeHostReport(a, n, d, v)
	case *event.Progress:
		writeProgress(a, d)
	case *event.Subject:
		writeSubject(a, d)
	case *event.Log:
		writeLog(a, n, d, v)
	case *event.Reminder:
		writeReminder(a, n, d, v)
	case *event.EventSeen:
		writeEventSeen(a, n, d, v)
	case *event.Plan:
		writePlan(a, d)
	case *event.ContextUse:
		writeContextUse(a, d)
	case *event.HookInfo:
		writeHook(a, n, d, v)
	case *event.ResourceUsed:
		writeResourceUsed(a, d, v)
	case *event.PromptUsed:
		writePromptUsed(a, d, v)
	case *event.WorkflowProgress:
		writeWorkflowProgress(a, d)
	case *event.Deltas:
		b.samples.Spent(n.Session, d.Tokens)
		writeDeltas(a, d)
	case *event.ServerStatus:
		a.textCopy(mcpconv.ServerName, d.Server)
		a.textCopy(mcpconv.ServerStatus, d.Status)
		a.transport(a.cutCopy(d.Transport))
	case *event.Amendment:
		b.samples.Amended(n.Session, d)
		writeAmendment(a, d)
	case *event.TransportStatus:
		a.str(mcpconv.TransportStatus, strings.Clone(d.Status))
		a.transport(strings.Clone(n.Envelope.Transport))
	}
}

// writeAmendment writes what was reported of a call after its span had left. It is no
// call of its own.
func writeAmendment(a *attrs, d *event.Amendment) {
	a.str(mcpconv.AmendedSpan, d.Span.String())
	a.otel(mcpconv.GenAIToolCallID, a.cutCopy(d.Call))
	if d.Tool != "" {
		a.textCopy(mcpconv.ToolName, d.Tool)
	}
	a.str(mcpconv.ToolDecision, d.Decision)
	a.str(mcpconv.ToolDecider, d.Decider)
	a.otel(mcpconv.GenAIRequestModel, a.cutCopy(d.Model))
	if u := store.Usage(d.Used); u != (store.Usage{}) {
		a.usage(&u)
		writeFill(a, u.Input, d.Window, d.Estimated)
	}
	if d.Cost != 0 {
		a.float(mcpconv.LLMCost, d.Cost)
		a.flag(mcpconv.LLMCostEstimated, d.Priced)
	}
}

// isMessage reports whether the notice is a message of JSON-RPC.
func isMessage(n *session.Notice) bool {
	return n.Source == event.Wire || n.Source == event.ACPUpdate
}

// noticeSpan is the notice's span. What the Inspector reports comes from its
// agent, and what is no message comes from the client.
func (b *Batch) noticeSpan(n *session.Notice) ptrace.Span {
	if n.Source == event.Inspector {
		return b.out.span(inspectorName, "")
	}
	return b.out.span(n.Sender, serviceName(n.FromClient || !isMessage(n)))
}

// noticeLinks: a notice stays in its session's trace and links to its context.
func noticeLinks(span ptrace.Span, n *session.Notice) {
	if n.Session == nil && n.Context.Valid() {
		setRemote(span, n.Context)
	} else {
		addLink(span, n.Context)
	}
	addLink(span, n.Link)
}

// writeMessage writes what all messages of JSON-RPC have that are notices:
// notifications, replies without a request, and calls of heartbeat tools.
func writeMessage(a *attrs, n *session.Notice) {
	method := ""
	if n.Form == event.Notification {
		method = n.Name
		if _, ok := n.Detail.(*event.Reminder); ok { // which has dialects
			method, _ = mcpconv.Known(n.Method)
		}
	}
	version := "2.0"
	if n.Version != version {
		version = a.cutCopy(n.Version)
	}
	reply := n.Form == event.Response
	a.rpc(method, version, n.FromClient != reply) // the direction is a request's
	if reply {
		a.rpcID(strings.Clone(n.RPCID.Text()))
	}
	a.transport(strings.Clone(n.Envelope.Transport))
	if n.Envelope.Bytes > 0 {
		a.int(mcpconv.MessageBytes, n.Envelope.Bytes)
	}
}

// writeProgress writes progress of a call that is not open.
func writeProgress(a *attrs, p *event.Progress) {
	a.textCopy(mcpconv.ProgressToken, p.Token.Text())
	a.jsonFloat(mcpconv.Progress, p.Value)
	a.jsonFloat(mcpconv.ProgressTotal, p.Total)
	a.payloadText(mcpconv.ProgressMessage, p.Message.Str())
}

// writeSubject writes what a notification without a family is about.
func writeSubject(a *attrs, s *event.Subject) {
	a.textCopy(mcpconv.ResourceURI, s.URI.Str())
	a.textCopy(mcpconv.TaskID, s.TaskID.Str())
	if s.TaskID != "" {
		a.textCopy(mcpconv.TaskStatus, s.TaskStatus.Str())
	}
}
