package push

import (
	"net"
	"net/http"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
)

// around is what a request says about all messages in its body.
type around struct {
	now        int64
	peer       string // IP address
	session    string // from headers, which win over the query
	query      string
	mcpSession string
	requestID  string
	acp        bool
	context    tracker.Context
	badContext bool
}

// aroundOf reads the headers and the query of a request.
func aroundOf(r *http.Request) around {
	h, q := r.Header, r.URL.Query()
	a := around{
		mcpSession: text(h.Get("Mcp-Session-Id")),
		requestID:  text(h.Get("X-MCP-Request-Id")),
		query:      text(first(q.Get("session"), q.Get("agent"))),
		acp:        q.Get("protocol") == record.ProtocolACP || hasACP(h),
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		a.peer = host
	}
	a.session = first(a.mcpSession, text(h.Get("X-Session-Id")), text(h.Get("Acp-Session-Id")))
	if parent := h.Get("traceparent"); parent != "" {
		var ok bool
		a.context, ok = tracker.ParseContext(parent, h.Get("tracestate"))
		a.badContext = !ok
	}
	return a
}

// text is UTF-8 whatever the client sent: telemetry must be.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// hasACP tells whether any header speaks of the Agent Client Protocol.
func hasACP(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "Acp-") {
			return true
		}
	}
	return false
}

// first is the first that is not empty.
func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
