package intake

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// Request holds what headers, query and connection say. All strings are UTF-8, of
// any length, and "" if absent.
type Request struct {
	Peer       string // IP address
	MCPSession string // Mcp-Session-Id
	Session    string // X-Session-Id, else Acp-Session-Id
	Query      string // session, else agent
	RequestID  string // X-MCP-Request-Id
	ACP        bool   // the Agent Client Protocol is spoken
	Context    identity.Context
	BadContext bool // there is a traceparent that is not valid
}

// QueryOf returns the query of a request, nil if it has none.
func QueryOf(r *http.Request) url.Values {
	if r.URL.RawQuery == "" {
		return nil
	}
	return r.URL.Query()
}

// RequestOf reads a request, whose query is q.
func RequestOf(r *http.Request, q url.Values) Request {
	h := r.Header
	a := Request{
		Peer:       peer(r.RemoteAddr),
		MCPSession: header(h, "Mcp-Session-Id"),
		Session:    cmp.Or(header(h, "X-Session-Id"), header(h, "Acp-Session-Id")),
		Query:      text(cmp.Or(q.Get("session"), q.Get("agent"))),
		RequestID:  header(h, "X-Mcp-Request-Id"),
		ACP:        q.Get("protocol") == observation.ProtocolACP || hasACP(h),
	}
	if parent := header(h, "Traceparent"); parent != "" {
		var ok bool
		a.Context, ok = event.ParseTraceContext(parent, header(h, "Tracestate"))
		a.BadContext = !ok
	}
	return a
}

// Tenant begins the keys of sessions from there, by the value of each header, whose
// names are in canonical form. The key is UTF-8 even if a value is not.
func Tenant(h http.Header, headers []string) string {
	var of identity.Tenant
	for _, name := range headers {
		of.Add(raw(h, name)) // as it was sent: U+FFFD would be the same for several tenants
	}
	return of.String()
}

// header is the first value of that name, which is in canonical form.
func header(h http.Header, name string) string { return text(raw(h, name)) }

// raw is a header as it was sent.
func raw(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// peer is the address without its port, "" if it is no such address.
func peer(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}

// text is UTF-8 whatever the client sent: telemetry must be.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// hasACP reports whether any header speaks of the Agent Client Protocol.
func hasACP(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "Acp-") {
			return true
		}
	}
	return false
}
