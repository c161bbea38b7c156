package mcpserver

import (
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
)

// statelessSince is the first revision without initialize and sessions.
const statelessSince = "2026-07-28"

// idBytes bounds the ids by which state is found again.
const idBytes = 1024

var errLongSession = errors.New("the session's name is longer than 1024 bytes")

// around is what a request says about all messages in its body.
type around struct {
	version    string // MCP-Protocol-Version
	mcpSession string // Mcp-Session-Id
	session    string // what else names a session
	requestID  string
	peer       string // IP address
	context    tracker.Context
	badContext bool
}

func aroundOf(r *http.Request) (around, error) {
	h, q := r.Header, r.URL.Query()
	a := around{
		version:    h.Get("Mcp-Protocol-Version"),
		mcpSession: h.Get("Mcp-Session-Id"),
		session:    text(first(h.Get("X-Session-Id"), h.Get("Acp-Session-Id"), q.Get("session"), q.Get("agent"))),
		requestID:  text(h.Get("X-MCP-Request-Id")),
		peer:       r.RemoteAddr,
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		a.peer = host
	}
	if parent := h.Get("traceparent"); parent != "" {
		var ok bool
		a.context, ok = tracker.ParseContext(parent, h.Get("tracestate"))
		a.badContext = !ok
	}
	if len(a.session) > idBytes {
		return a, errLongSession
	}
	return a, nil
}

// stateless tells whether the request belongs to the era without sessions.
// Revisions are dates, so their order is that of their names.
func (a *around) stateless() bool { return a.version >= statelessSince }

// text is UTF-8 whatever the client sent: telemetry must be.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// first is the first that is not empty.
func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
