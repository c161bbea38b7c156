package attribute

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// maxPlain is how long an id may be that names a file as it is.
const maxPlain = 128

// IsPlain reports whether a session's own id can be part of a URL and a file's name:
// not with a hyphen at the front, which programs take for an option, and none that
// Windows takes for a device, whatever is behind it.
func IsPlain(own string) bool {
	if own == "" || len(own) > maxPlain || own[0] == '-' {
		return false
	}
	for i := range len(own) {
		if c := own[i]; (c|0x20)-'a' >= 26 && c-'0' >= 10 && c != '_' && c != '-' {
			return false
		}
	}
	return !isDevice(own)
}

func isDevice(id string) bool {
	switch len(id) {
	case len("con"):
		id = strings.ToLower(id)
		return id == "con" || id == "prn" || id == "aux" || id == "nul"
	case len("com1"):
		port := strings.ToLower(id[:3])
		return (port == "com" || port == "lpt") && id[3]-'0' < 10
	}
	return false
}

// ID makes a session's id that can be part of a URL and a file's name; original
// is empty if that is the id itself.
func ID(own string) (id, original string) {
	if trace, ok := strings.CutPrefix(own, "trace:"); ok && isTrace(trace) { // its spans name no session
		return trace, ""
	}
	if IsPlain(own) && !daily.IsID(own) {
		return own, ""
	}
	sum := sha256.Sum256([]byte(own))
	return "x-" + hex.EncodeToString(sum[:16]), Text(own)
}

// isTrace reports whether the text is the id of a trace.
func isTrace(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 32 && strings.ToLower(text) == text
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

// leastRequestID keeps out sequential ids: they are not unique.
const leastRequestID = 8

// RequestID is the id that both sides of a call have, "" if there is none that is unique.
func RequestID(m pcommon.Map) string {
	id := Str(m, mcpconv.RequestID)
	if v, ok := m.Get(mcpconv.RequestID); ok && v.Type() == pcommon.ValueTypeInt {
		id = v.AsString()
	}
	if len(id) < leastRequestID || len(id) > MaxText {
		return ""
	}
	return id
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
