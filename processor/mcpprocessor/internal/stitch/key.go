package stitch

import (
	"strconv"

	"github.com/google/uuid"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// KeyLastmile stands, among the keys, for the attribute mcp.request.id of
// lastmile's mcp-agent, where its value is a UUID. Others write the id of the
// JSON-RPC request there, which counts from one.
const KeyLastmile = "lastmile"

const attributeLastmile = "mcp.request.id"

// uuidLength is the length of a UUID as it is usually written; the parser takes other
// notations, too.
const uuidLength = 36

// keyText is the span's value of the key, "" if it has none. An integer counts as its
// decimal text.
func keyText(span ptrace.Span, key string) string {
	attribute := key
	if key == KeyLastmile {
		attribute = attributeLastmile
	}
	v, ok := span.Attributes().Get(attribute)
	switch {
	case !ok:
		return ""
	case v.Type() == pcommon.ValueTypeInt && key != KeyLastmile:
		return strconv.FormatInt(v.Int(), 10)
	case v.Type() != pcommon.ValueTypeStr:
		return ""
	}
	if key == KeyLastmile && (len(v.Str()) != uuidLength || uuid.Validate(v.Str()) != nil) {
		return ""
	}
	return v.Str()
}
