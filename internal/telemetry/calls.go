package telemetry

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// CallStarted adds the log record of a call, or the marker of one that waits for
// a person.
func (b *Batch) CallStarted(e session.CallStart) {
	if !announces(e.Call) {
		return
	}
	if e.Marker.IsZero() {
		b.callStart(e)
		return
	}
	c := e.Call
	span := b.out.span(c.Sender, serviceName(c.Key.FromClient))
	place{c.Trace, e.Marker, c.Span, c.Start, c.Start}.set(span)
	span.SetName(mcpconv.SpanSignalStart)
	a := &b.attrs
	a.begin(callCapacity)
	a.session(e.Session)
	writeAsked(a, c, nil)
	b.finish(span, &session.Outcome{})
	b.out.echo(span, entry{name: mcpconv.SpanSignalStart, severity: plog.SeverityNumberWarn, span: c.Span})
}

// announces reports whether the start of the call has a record of ours: else its
// agent's own record says it.
func announces(c *store.CallRecord) bool {
	return !c.OfAgent() || c.Source == event.Hook && c.Kind != event.ModelCall
}

// callStart adds the log record of a call.
func (b *Batch) callStart(e session.CallStart) {
	if !b.opt.Logs {
		return
	}
	c := e.Call
	b.out.from(c.Sender, serviceName(c.Key.FromClient))
	name := mcpconv.LogCallStart
	if c.Kind == event.AgentTurn {
		name = mcpconv.LogTurnStart
	}
	lr := b.out.record(place{trace: c.Trace, span: c.Span, start: c.Start}, entry{name: name})
	a := &b.attrs
	a.begin(callCapacity)
	writeCall(a, &session.CallEnd{Session: e.Session, Call: c, Invalid: c.Invalid})
	a.into(lr.Attributes())
}

// CallEnded adds the span of a call.
func (b *Batch) CallEnded(e *session.CallEnd) {
	c := e.Call
	if e.News == nil {
		b.samples.Call(e, b.attrs.servers.Of(c.ServerURI))
	} else { // it was measured when it left
		b.samples.Amended(e.Session, e.News)
	}
	if e.Native != nil {
		b.nativeCall(e)
		return
	}
	span := b.out.span(c.Sender, serviceName(c.Key.FromClient))
	if c.Stuck { // that it returned is reported at the same time
		b.lasts(c.Span, e.Time+1)
	}
	b.around(place{c.Trace, c.Span, c.Parent, c.Start, e.Time}).set(span)
	span.SetName(callName(b.opt, e))
	span.SetKind(callKind(c))
	callLinks(span, e)
	for _, p := range c.Events() {
		addProgress(b.opt, span.Events().AppendEmpty(), c.Token, p)
	}
	a := &b.attrs
	a.begin(callCapacity)
	writeCall(a, e)
	a.flag(mcpconv.Cancellation, e.Cancelled)
	a.flag(mcpconv.Incomplete, e.Incomplete)
	b.peer(e)
	if e.HTTPStatus != 0 && b.opt.OTel {
		a.int(mcpconv.HTTPStatus, e.HTTPStatus)
	}
	b.finish(span, &e.Outcome)
}

// nativeCall collects what is to be added to the agent's own span of a call.
func (b *Batch) nativeCall(e *session.CallEnd) {
	a := &b.attrs
	a.begin(callCapacity)
	writeCall(a, e)
	writeDuplicate(a, e.Duplicate)
	if c := e.Call; announces(c) {
		writeAnnounced(a, e.Announced, c.Span)
	}
	b.native(e.Native, e, &e.Outcome)
}

// serviceName returns the service name of a sender that is not known.
func serviceName(fromClient bool) string {
	if fromClient {
		return mcpconv.ServiceClient
	}
	return mcpconv.ServiceServer
}

// inspectorSpans are the Inspector's span names; calls of other kinds are named
// after their method.
var inspectorSpans = [...]string{
	event.ToolCall:     mcpconv.SpanTool,
	event.ResourceRead: mcpconv.SpanResource,
	event.PromptGet:    mcpconv.SpanPrompt,
	event.ModelCall:    mcpconv.SpanLLM,
	event.Elicitation:  mcpconv.SpanSignalWait,
	event.Permission:   mcpconv.SpanSignalWait,
	event.AgentPrompt:  mcpconv.SpanAgent,
	event.AgentTurn:    mcpconv.SpanTurn,
}

// inspectorCallName is the name of the call's span in the Inspector's convention.
func inspectorCallName(c *store.CallRecord) string {
	switch {
	case c.IsUpdate():
		return mcpconv.SpanTool
	case int(c.Kind) < len(inspectorSpans):
		return cmp.Or(inspectorSpans[c.Kind], c.Method)
	}
	return c.Method
}

// callName is the Inspector's span name, or that of the semantic conventions, in
// which tools and prompts have their names and URIs do not appear.
func callName(opt *Options, e *session.CallEnd) string {
	c := e.Call
	target := jsonscan.Cut(c.Target, opt.TextBytes)
	switch {
	case !opt.SemconvNames:
		return inspectorCallName(c)
	case c.Kind == event.AgentTurn:
		return mcpconv.SpanTurn
	case c.Kind == event.ModelCall && c.OfAgent():
		return strings.TrimRight(mcpconv.OperationChat+" "+target, " ")
	case c.OfAgent() && c.Kind == event.ToolCall && !c.OwnTool():
		return c.Method + " " + jsonscan.Cut(c.ToolName(), opt.TextBytes)
	case c.OwnTool(), c.IsUpdate():
		return strings.TrimRight(mcpconv.OperationTool+" "+target, " ")
	case c.Kind == event.AgentPrompt:
		return strings.TrimRight(mcpconv.OperationAgent+" "+agentOf(e.Session, c), " ")
	case (c.Kind == event.ToolCall || c.Kind == event.PromptGet) && target != "":
		return c.Method + " " + target
	}
	return c.Method
}

// callKind is CLIENT for what is asked of a peer. A tool of the agent itself is
// work inside of it (GenAI conventions, execute_tool span).
func callKind(c *store.CallRecord) ptrace.SpanKind {
	if c.OwnTool() || c.Kind == event.AgentTurn {
		return ptrace.SpanKindInternal
	}
	return ptrace.SpanKindClient
}

// agentOf is the own name of the agent that the request was sent to.
func agentOf(s *store.SessionRecord, c *store.CallRecord) string {
	if s == nil {
		return c.Server
	}
	_, server := s.Peers()
	return cmp.Or(server, c.Server)
}

func callLinks(span ptrace.Span, e *session.CallEnd) {
	c := e.Call
	if c.Context.Valid() {
		setRemote(span, c.Context)
	}
	if s := e.Session; s != nil && s.Trace != c.Trace {
		addLink(span, identity.Context{Trace: s.Trace, Span: s.Root})
	}
	addLink(span, c.Link)
}

// addProgress fills in the span event of one progress notification. token is JSON.
func addProgress(opt *Options, to ptrace.SpanEvent, token string, p store.Progress) {
	to.SetName(mcpconv.EventProgress)
	to.SetTimestamp(timestamp(p.Time))
	attributes := to.Attributes()
	attributes.PutStr(mcpconv.ProgressToken, event.JSON(token).Text())
	attributes.PutDouble(mcpconv.Progress, p.Progress)
	if p.HasTotal {
		attributes.PutDouble(mcpconv.ProgressTotal, p.Total)
	}
	if p.Message == "" {
		return
	}
	kept := jsonscan.Cut(p.Message, opt.TextBytes)
	attributes.PutStr(mcpconv.ProgressMessage, kept)
	if len(kept) < len(p.Message) {
		attributes.PutBool(mcpconv.ProgressMessage+mcpconv.TruncatedSuffix, true)
	}
}
