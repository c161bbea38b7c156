package observer

import (
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// TraceContext names the span of a request before there is one: the receiver derives
// the same IDs from the record.
type TraceContext struct {
	Traceparent string
	RequestID   string // for params._meta["mcp.request_id"]
}

// ContextOf returns the context of a client's request that the record has at start, in Unix
// ns; namespace is the receiver's.
func ContextOf(namespace, session, connection string, id jsonscan.Value, start int64) TraceContext {
	trace := identity.Trace(namespace, session)
	span := identity.Span(trace, identity.Call, connection, observation.ClientToServer, string(id), "", strconv.FormatInt(start, 10))
	return TraceContext{
		Traceparent: "00-" + trace.String() + "-" + span.String() + "-01",
		RequestID:   span.String() + trace.String()[:8],
	}
}

// Inject adds the context to a request's params._meta, so that an instrumented server's
// spans come under the span that the collector makes of the request. A context that is
// there stays, and so do all other bytes. What is no single request, or has params or
// _meta that are no objects, comes back unchanged.
func Inject(text []byte, contextOf func(id jsonscan.Value) TraceContext) []byte {
	var request frame.Message
	found := 0
	ok := frame.Parse(text, func(m *frame.Message) {
		request = *m
		found++
	})
	if !ok || found != 1 || !request.IsRequest() {
		return text
	}
	members := missing(&request, contextOf(request.ID))
	at, before, after, ok := place(text)
	if members == "" || !ok {
		return text
	}
	out := make([]byte, 0, len(text)+len(before)+len(members)+len(after))
	out = append(out, text[:at]...)
	out = append(out, before+members+after...)
	return append(out, text[at:]...)
}

func missing(m *frame.Message, c TraceContext) string {
	var members []string
	if m.Traceparent == "" {
		members = append(members, `"traceparent":"`+c.Traceparent+`"`)
	}
	if m.RequestID == "" {
		members = append(members, `"mcp.request_id":"`+c.RequestID+`"`)
	}
	return strings.Join(members, ",")
}

// place is where in text members of params._meta go, and what must stand before
// and after them.
func place(text []byte) (at int, before, after string, ok bool) {
	var c jsonscan.Cursor
	c.Reset(text)
	if c.Peek() != '{' {
		return 0, "", "", false
	}
	c.EnterObject()
	root := c.Offset()
	if !find(&c, "params") {
		return root, `"params":{"_meta":{`, "}}" + commaIn(text, root), c.Err() == nil
	}
	if c.Peek() != '{' {
		return 0, "", "", false
	}
	c.EnterObject()
	params := c.Offset()
	if !find(&c, "_meta") {
		return params, `"_meta":{`, "}" + commaIn(text, params), c.Err() == nil
	}
	if c.Peek() != '{' {
		return 0, "", "", false
	}
	c.EnterObject()
	return c.Offset(), "", commaIn(text, c.Offset()), true
}

// find moves to the value of the member key.
func find(c *jsonscan.Cursor, key string) bool {
	for name, ok := c.Key(); ok; name, ok = c.Key() {
		if name == key {
			return true
		}
		c.Value()
	}
	return false
}

// commaIn returns the separator of new members and those that follow at an offset.
func commaIn(text []byte, at int) string {
	var c jsonscan.Cursor
	c.Reset(text[at:])
	if c.Peek() == '}' {
		return ""
	}
	return ","
}
