package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Notice adds the zero-length span of a notice.
func (b *Batch) Notice(n *session.Notice) {
	b.sampleNotice(n)
	span := b.noticeSpan(n)
	fill(span, place{n.Trace, n.Span, n.Parent, n.Time, n.Time})
	span.SetName(b.noticeName(n))
	b.noticeLinks(span, n)
	a := &b.attrs
	a.begin(roomOfNotice)
	a.session(n.Session)
	switch {
	case n.Event != nil:
		b.event(n.Event)
	case n.Hook != nil:
		b.hook(n)
	case n.Message != nil:
		b.message(n)
	default:
		a.str(mcpconv.TransportStatus, strings.Clone(n.Status))
		a.transport(strings.Clone(n.Obs.Transport))
	}
	a.str(mcpconv.Invalid, strings.Clone(n.Invalid))
	b.conclude(span, &n.Outcome)
	if b.opt.Logs {
		b.echo(span, b.noticeEntry(n))
	}
}

// noticeName is the notice's name; with the semantic conventions alone, theirs
// where they have one.
func (b *Batch) noticeName(n *session.Notice) string {
	if n.Event == nil || b.opt.Inspector {
		return n.Name
	}
	switch n.Event.Kind {
	case session.EventResource:
		return mcpconv.MethodResourcesRead
	case session.EventPrompt:
		return strings.TrimRight(mcpconv.MethodPromptsGet+" "+b.attrs.text(n.Event.Template), " ")
	}
	return n.Name
}

// noticeSpan is the notice's span; what an Inspector tells comes from its agent.
func (b *Batch) noticeSpan(n *session.Notice) ptrace.Span {
	if n.Event != nil {
		return b.span(inspectorName, "")
	}
	return b.span(n.Sender, defaultName(n.Client))
}

// noticeLinks: a notice stays in its session's trace and links to its context.
func (b *Batch) noticeLinks(span ptrace.Span, n *session.Notice) {
	if n.Session == nil && n.Context.Valid() {
		under(span, n.Context)
	} else {
		link(span, n.Context)
	}
	link(span, n.Link)
}

// message writes what JSON-RPC notifications, and replies without a request, have.
func (b *Batch) message(n *session.Notice) {
	a, m := &b.attrs, n.Message
	method := ""
	if m.Kind == jsonrpc.Notification {
		method = n.Name
		if n.Reminder != nil { // which has dialects
			method, _ = mcpconv.Known(m.Method)
		}
	}
	version := "2.0"
	if m.Version != version {
		version = a.text(m.Version)
	}
	fromClient := n.Client != (m.Kind == jsonrpc.Response) // the direction is a request's
	a.rpc(method, version, fromClient)
	if m.Kind == jsonrpc.Response {
		id := strings.Clone(m.ID.Text())
		a.inspector(mcpconv.RPCID, id)
		a.otel(mcpconv.JSONRPCRequestID, id)
	}
	a.transport(strings.Clone(n.Obs.Transport))
	if n.Obs.Bytes > 0 {
		a.int(mcpconv.MessageBytes, n.Obs.Bytes)
	}
	b.notification(n)
	if b.opt.Payloads {
		a.str(mcpconv.NoticeParams, strings.Clone(string(m.Params.Raw)))
	}
}

// notification writes what only notifications of one method have.
func (b *Batch) notification(n *session.Notice) {
	m := n.Message
	a, p := &b.attrs, &m.Params
	switch {
	case n.Host != nil:
		b.heartbeat(n.Host, n.Tool)
	case n.HostEvent != nil:
		b.hostEvent(n)
	case n.Reminder != nil:
		b.reminder(n.Reminder)
	case n.Log:
		b.logMessage(n)
	case m.Method == mcpconv.NotificationProgress:
		a.str(mcpconv.ProgressToken, a.text(p.ProgressToken.Text()))
		if v, ok := p.Progress.Float(); ok {
			a.float(mcpconv.Progress, v)
		}
		if v, ok := p.Total.Float(); ok {
			a.float(mcpconv.ProgressTotal, v)
		}
		a.payload(mcpconv.ProgressMessage, a.text(p.Message.Str()))
	case m.Method == mcpconv.MethodSessionUpdate:
		b.update(m)
	default:
		a.str(mcpconv.ResourceURI, a.text(p.URI.Str()))
		a.str(mcpconv.TaskID, a.text(p.TaskID.Str()))
		if p.TaskID != "" {
			a.str(mcpconv.TaskStatus, a.text(p.Status.Str()))
		}
	}
}
