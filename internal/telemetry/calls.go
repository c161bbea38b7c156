package telemetry

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// CallEnded adds the span of a call.
func (b *Batch) CallEnded(e *session.CallEnd) {
	c := e.Call
	b.measure(e)
	span := b.span(c.Sender, defaultName(c.FromClient))
	fill(span, place{c.Trace, c.Span, c.Parent, c.Start, e.Time})
	span.SetName(b.callName(c))
	span.SetKind(kindOf(c))
	b.callLinks(span, c)
	for _, p := range c.Events() {
		b.progress(span.Events().AppendEmpty(), c, p)
	}
	a := &b.attrs
	a.begin(roomOfCall)
	b.content(e)
	a.yes(mcpconv.Cancellation, e.Cancelled)
	a.yes(mcpconv.Incomplete, e.Incomplete)
	b.conclude(span, &e.Outcome)
}

// CallStarted adds the log record of a call, and the marker of one that waits for
// a person.
func (b *Batch) CallStarted(c *session.Call, marker identity.SpanID) {
	sender, otherwise := c.Sender, defaultName(c.FromClient)
	if marker.IsZero() {
		b.callStart(c, sender, otherwise)
		return
	}
	span := b.span(sender, otherwise)
	fill(span, place{c.Trace, marker, c.Span, c.Start, c.Start})
	span.SetName(mcpconv.SpanSignalStart)
	b.attrs.begin(roomOfCall)
	b.attrs.session(c.Session)
	b.asked(c, nil)
	b.conclude(span, &session.Outcome{})
	b.echo(span, entry{name: mcpconv.SpanSignalStart, severity: plog.SeverityNumberWarn, span: c.Span})
}

// callStart tells what is going on before it has ended.
func (b *Batch) callStart(c *session.Call, sender, otherwise string) {
	if !b.opt.Logs {
		return
	}
	b.from(sender, otherwise)
	lr := b.record(place{trace: c.Trace, span: c.Span, start: c.Start}, entry{name: mcpconv.LogCallStart})
	b.attrs.begin(roomOfCall)
	b.content(&session.CallEnd{Call: c, Invalid: c.Invalid})
	b.attrs.mb.UnsafeIntoMap(lr.Attributes())
}

func defaultName(fromClient bool) string {
	if fromClient {
		return "mcp-client"
	}
	return "mcp-server"
}

var inspectorNames = map[string]string{
	mcpconv.MethodToolsCall:     mcpconv.SpanTool,
	mcpconv.MethodResourcesRead: mcpconv.SpanResource,
	mcpconv.MethodPromptsGet:    mcpconv.SpanPrompt,
	mcpconv.MethodSampling:      mcpconv.SpanLLM,
	mcpconv.MethodElicitation:   mcpconv.SpanSignalWait,
	mcpconv.MethodRequestPermit: mcpconv.SpanSignalWait,
	mcpconv.MethodSessionPrompt: mcpconv.SpanAgent,
	mcpconv.MethodSessionUpdate: mcpconv.SpanTool, // a tool call is told in updates
}

// callName is the Inspector's name, or with the semantic conventions alone
// theirs, in which tools and prompts have their names and URIs have not.
func (b *Batch) callName(c *session.Call) string {
	if b.opt.Inspector {
		if name, ok := inspectorNames[c.Method]; ok {
			return name
		}
		return c.Method
	}
	if c.Hook && c.Server == "" {
		return strings.TrimRight(mcpconv.OperationTool+" "+c.Target, " ")
	}
	switch c.Method {
	case mcpconv.MethodSessionPrompt:
		return strings.TrimRight(mcpconv.OperationAgent+" "+c.Agent(), " ")
	case mcpconv.MethodSessionUpdate:
		return strings.TrimRight(mcpconv.OperationTool+" "+c.Target, " ")
	}
	if (c.Method == mcpconv.MethodToolsCall || c.Method == mcpconv.MethodPromptsGet) && c.Target != "" {
		return c.Method + " " + c.Target
	}
	return c.Method
}

func (b *Batch) callLinks(span ptrace.Span, c *session.Call) {
	if c.Context.Valid() {
		under(span, c.Context)
	}
	if s := c.Session; s != nil && s.Trace != c.Trace {
		link(span, session.Context{Trace: s.Trace, Span: s.Root})
	}
	link(span, c.Link)
}

func (b *Batch) progress(event ptrace.SpanEvent, c *session.Call, p session.Progress) {
	event.SetName(mcpconv.EventProgress)
	event.SetTimestamp(pcommon.Timestamp(p.Time)) //nolint:gosec // message times are positive
	attrs := event.Attributes()
	attrs.PutStr(mcpconv.ProgressToken, jsonrpc.Value(c.Token).Text())
	attrs.PutDouble(mcpconv.Progress, p.Progress)
	if p.HasTotal {
		attrs.PutDouble(mcpconv.ProgressTotal, p.Total)
	}
	if p.Message != "" {
		attrs.PutStr(mcpconv.ProgressMessage, p.Message)
	}
}

// content writes what a call has.
func (b *Batch) content(e *session.CallEnd) {
	if e.Call.Hook {
		b.hookTool(e)
		return
	}
	b.envelope(e)
	b.family(e)
}

// envelope writes what all calls that travelled have.
func (b *Batch) envelope(e *session.CallEnd) {
	c, a := e.Call, &b.attrs
	a.session(c.Session)
	a.rpc(c.Method, c.Version, c.FromClient)
	if id := jsonrpc.Value(c.ID).Text(); c.Tool == "" {
		a.inspector(mcpconv.RPCID, id)
		a.otel(mcpconv.JSONRPCRequestID, id)
	}
	a.str(mcpconv.TaskID, c.TaskID)
	a.str(mcpconv.TaskStatus, c.TaskStatus)
	if ended := e.Time != 0; ended && b.opt.Inspector {
		a.int(mcpconv.RPCDuration, (e.Time-c.Start)/1_000_000)
	}
	a.transport(c.Transport)
	b.server(c.ServerURI)
	if c.Session != nil {
		a.otel(mcpconv.ProtocolVersion, c.Session.Said().Protocol)
	}
	a.str(mcpconv.ProgressToken, jsonrpc.Value(c.Token).Text())
	a.str(mcpconv.RequestID, c.RequestID)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	if n := max(c.Bytes, e.Bytes); n > 0 {
		a.int(mcpconv.MessageBytes, n)
	}
	a.payload(mcpconv.RPCRequest, c.Envelope)
	if e.Reply != nil && c.Envelope != "" {
		a.payload(mcpconv.RPCResponse, strings.Clone(string(e.Reply.Raw)))
	}
}

// server writes where the server is, without what may be secret in its URI.
func (b *Batch) server(uri string) {
	if uri == "" {
		return
	}
	u, err := url.Parse(uri)
	if err != nil {
		return
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		uri = u.String()
	}
	b.attrs.inspector(mcpconv.RPCServerURI, uri)
	host := u.Hostname() // unescaped: it may be anything
	if !b.opt.OTel || host == "" || !utf8.ValidString(host) {
		return
	}
	b.attrs.str(mcpconv.ServerAddress, host)
	if port := portOf(u); port > 0 {
		b.attrs.int(mcpconv.ServerPort, port)
	}
}

func portOf(u *url.URL) int64 {
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return int64(port)
	}
	switch u.Scheme {
	case "http", "ws", "sse":
		return 80
	case "https", "wss":
		return 443
	}
	return 0
}
