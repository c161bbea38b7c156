package stitch

import (
	"github.com/google/uuid"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// KeyLastmile stands, among the keys, for the attribute mcp.request.id of
// lastmile's mcp-agent, where its value is a UUID. Others write the id of the
// JSON-RPC request there, which counts from one.
const KeyLastmile = "lastmile"

const attributeLastmile = "mcp.request.id"

// uuidLength is that of a UUID as it is usually written; the parser takes other
// notations, too.
const uuidLength = 36

// keyText is the span's value of the key, "" if it has none.
func keyText(span ptrace.Span, key string) string {
	attribute := key
	if key == KeyLastmile {
		attribute = attributeLastmile
	}
	v, ok := span.Attributes().Get(attribute)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	if key == KeyLastmile && (len(v.Str()) != uuidLength || uuid.Validate(v.Str()) != nil) {
		return ""
	}
	return v.Str()
}
