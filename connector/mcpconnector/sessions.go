package mcpconnector

import (
	"cmp"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// sessionKey are the attributes that keep sessions of the same id apart, as
// agents::session_key configures them.
type sessionKey []string

// tenant begins the keys of sessions from there: the value of each attribute, of the
// resource or else of the record or span, and a slash. Slashes in values are escaped,
// so that no two tenants can have a session in common.
func (k sessionKey) tenant(resource, own pcommon.Map) string {
	if len(k) == 0 {
		return ""
	}
	var b strings.Builder
	for _, key := range k {
		v, ok := resource.Get(key)
		if !ok {
			v, ok = own.Get(key)
		}
		if ok {
			b.WriteString(url.PathEscape(v.AsString()))
		}
		b.WriteByte('/')
	}
	return b.String()
}

// name makes the session of the report one of the tenant.
func name(r *otlp.Report, tenant string) {
	if r != nil && r.Session != "" {
		r.Session = tenant + r.Session
	}
}

// wholeOf is the session that an item is to be said to be part of, "" if what it says itself
// is enough. An id tells who shows the item nothing of its tenant.
func wholeOf(tx *session.Tx, r *otlp.Report, tenant string) string {
	if tenant == "" || r.Session == "" || len(r.Session) > idBytes {
		return tx.About.Whole
	}
	return cmp.Or(tx.About.Whole, tx.ParentOf(r.Session), r.Session)
}

// byTrace are the sessions that the spans of a request name, by their trace.
func (in *tracesIn) byTrace() map[pcommon.TraceID]string {
	sessions := map[pcommon.TraceID]string{}
	everySpan(in.data, func(from *otlp.Origin, span ptrace.Span) bool {
		r := in.decoder.Span(from, span)
		name(r, in.key.tenant(from.Resource, span.Attributes()))
		if r != nil && r.Session != "" && !r.Trace.IsZero() && sessions[pcommon.TraceID(r.Trace)] == "" {
			sessions[pcommon.TraceID(r.Trace)] = strings.Clone(r.Session)
		}
		return true
	})
	return sessions
}
