package otlp

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// confinement keeps an item within its tenant. The zero value is that of an item which
// says nothing else.
type confinement struct {
	part  string // the session that the item is to be said to be part of instead; "" if what it says is right
	names bool   // it names what may be another tenant's session: part holds before all that is known of it
}

// or is the session that an item is to be said to be part of, which is known to be part
// of whole.
func (c confinement) or(whole string) string {
	if c.names {
		return c.part
	}
	return cmp.Or(whole, c.part)
}

// confined keeps an item within its tenant: the session that it names, or says to
// be part of, is its own tenant's of that name. An item that names one without a tenant, and
// says what that is part of, may: it has no tenant's session then.
func (k sessionKey) confined(resource, own pcommon.Map) confinement {
	if len(k) == 0 {
		return confinement{}
	}
	named, said := ownID(resource, own), protocol.String(own, mcpconv.SessionPartOf)
	if named == "" && said == "" {
		return confinement{}
	}
	tenant := k.tenant(resource, own)
	if named != "" && !strings.HasPrefix(named, tenant) {
		if foreign := strings.Contains(named, "/"); foreign || said == "" {
			return confinement{tenant + named, foreign}
		}
	}
	if said != "" && !strings.HasPrefix(said, tenant) {
		return confinement{tenant + said, false}
	}
	return confinement{}
}

// ownID is the session that an item names, read as the mcp_inspector exporter does.
func ownID(resource, own pcommon.Map) string {
	return cmp.Or(
		protocol.String(own, mcpconv.SessionID), protocol.String(own, mcpconv.GenAIConversation),
		protocol.String(resource, mcpconv.SessionID), protocol.String(resource, mcpconv.GenAIConversation),
	)
}
