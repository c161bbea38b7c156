package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Ids that name a file as they are: not with a hyphen at the front, which programs
// take for an option, and none that Windows takes for a device, whatever is behind
// it.
var (
	plainID = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$`)
	device  = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$`)
)

// IsPlain reports whether a session's own id can be part of a URL and a file's name.
func IsPlain(own string) bool {
	return plainID.MatchString(own) && !device.MatchString(strings.ToLower(own))
}

// ID makes a session's id that can be part of a URL and a file's name; original
// is empty if that is the id itself.
func ID(own string) (id, original string) {
	if IsPlain(own) && !daily.IsID(own) {
		return own, ""
	}
	sum := sha256.Sum256([]byte(own))
	return "x-" + hex.EncodeToString(sum[:16]), Text(own)
}

// OwnID is the id under which the sender knows the session.
func OwnID(resource, attributes pcommon.Map) string {
	for _, m := range []pcommon.Map{attributes, resource} {
		for _, key := range []string{mcpconv.SessionID, mcpconv.GenAIConversation} {
			if id := Str(m, key); id != "" {
				return id
			}
		}
	}
	return ""
}

// Ours tells whether attributes are of the families that this is about.
func Ours(m pcommon.Map) bool {
	for key := range m.All() {
		if strings.HasPrefix(key, "mcp.") || strings.HasPrefix(key, "gen_ai.") {
			return true
		}
	}
	return false
}
