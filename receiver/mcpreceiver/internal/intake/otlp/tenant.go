package otlp

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// sessionKey are the attributes that keep sessions of the same id apart, as
// agents::session_key configures them.
type sessionKey []string

// tenant begins the keys of sessions from there, by the value of each attribute, of the
// resource or else of the record or span.
func (k sessionKey) tenant(resource, own pcommon.Map) string {
	var of identity.Tenant
	for _, key := range k {
		text := ""
		v, ok := resource.Get(key)
		if !ok {
			v, ok = own.Get(key)
		}
		if ok {
			text = v.AsString()
		}
		of.Add(text)
	}
	return of.String()
}

// prefix makes the session of the report one of the tenant.
func prefix(r *protocol.Report, tenant string) {
	if r != nil && r.Session != "" {
		r.Session = tenant + r.Session
	}
}

// wholeOf is the session that an item is to be said to be part of, "" if what it says itself
// is enough. An id tells who shows the item nothing of its tenant.
func wholeOf(tx *session.Tx, r *protocol.Report, tenant string) string {
	if tenant == "" || r.Session == "" || len(r.Session) > idBytes {
		return tx.About.Parent
	}
	return cmp.Or(tx.About.Parent, tx.ParentOf(r.Session), r.Session)
}

// decode returns the report of the span, and the prefix of its tenant's session keys.
func (in *tracesIn) decode(from *protocol.Origin, span ptrace.Span) (r *protocol.Report, tenant string) {
	if r = in.decoder.Span(from, span); r == nil {
		return nil, ""
	}
	tenant = in.key.tenant(from.Resource, span.Attributes())
	prefix(r, tenant)
	if r.Session == "" && len(r.Events) > 0 { // others of its trace may name it
		if in.sessions == nil {
			in.sessions = in.byTrace()
			r = in.decoder.Span(from, span)
		}
		r.Session, tenant = in.find(r, from.Resource, tenant)
	}
	return r, tenant
}

// traceOf is a trace of those whose resource tells as much of their tenant.
type traceOf struct {
	trace  pcommon.TraceID
	tenant string
}

// named is a session, with its tenant, that a span names.
type named struct{ session, tenant string }

// byTrace are the sessions that the spans of a request name, by their trace.
func (in *tracesIn) byTrace() map[traceOf]named {
	sessions := map[traceOf]named{}
	everySpan(in.data, func(from *protocol.Origin, span ptrace.Span) bool {
		r := in.decoder.Span(from, span)
		if r == nil || r.Session == "" || r.Trace.IsZero() {
			return true
		}
		tenant := in.key.tenant(from.Resource, span.Attributes())
		prefix(r, tenant)
		of := traceOf{pcommon.TraceID(r.Trace), in.key.tenant(from.Resource, pcommon.NewMap())}
		if sessions[of].session == "" {
			sessions[of] = named{strings.Clone(r.Session), tenant}
		}
		return true
	})
	return sessions
}

// find is the session, with its tenant, that others of its trace name of a span which names
// none. What tells its tenant may be on those only, but must not tell of another one.
func (in *tracesIn) find(r *protocol.Report, resource pcommon.Map, tenant string) (session, its string) {
	of := traceOf{pcommon.TraceID(r.Trace), in.key.tenant(resource, pcommon.NewMap())}
	if found := in.sessions[of]; found.session != "" && (tenant == of.tenant || tenant == found.tenant) {
		return found.session, found.tenant
	}
	return "", tenant
}
