package mcpconnector

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// confined is the session that an item is to be said to be part of, because the one that
// it names itself is another tenant's: its own tenant's of that name. It is "" if what it
// says is right.
func (k sessionKey) confined(resource, own pcommon.Map) string {
	if len(k) == 0 {
		return ""
	}
	said, ok := own.Get(mcpconv.SessionPartOf)
	if !ok {
		return ""
	}
	tenant := k.tenant(resource, own)
	if strings.HasPrefix(said.AsString(), tenant) {
		return ""
	}
	return tenant + said.AsString()
}
