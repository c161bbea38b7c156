package wire

import (
	"encoding/json"
	"strings"
)

// MaxDelivery is the size of the largest webhook delivery in bytes (MCP Events).
const MaxDelivery = 256 << 10

// Members are those of a JSON object of which no type is taken for granted. What
// is missing or of another type than asked for is the zero value.
type Members map[string]json.RawMessage

// Parse reads an object; anything else has no members.
func Parse(raw json.RawMessage) (m Members) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Text is a string, or a number as it is written.
func (m Members) Text(key string) string {
	raw := m[key]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// Cursor is a string or null; nil for anything else too, and for one that no
// delivery could carry, which is not worth the storage.
func (m Members) Cursor() *string {
	var s *string
	if json.Unmarshal(m["cursor"], &s) != nil || s != nil && len(*s) > MaxDelivery {
		return nil
	}
	return s
}

// Object is an object.
func (m Members) Object(key string) Members { return Parse(m[key]) }

// Bool reports whether the member is true.
func (m Members) Bool(key string) bool { return string(m[key]) == "true" }

// Number is a number that is not negative, 0 for anything else.
func (m Members) Number(key string) float64 {
	var n float64
	if json.Unmarshal(m[key], &n) != nil || n < 0 {
		return 0
	}
	return n
}

// List are the elements of an array.
func (m Members) List(key string) (elements []json.RawMessage) {
	if json.Unmarshal(m[key], &elements) != nil {
		return nil
	}
	return elements
}

// Result is the result in a JSON-RPC response, or its error.
func Result(m Members) (Members, error) {
	if fault := m.Object("error"); fault != nil {
		return nil, ErrorOf(fault)
	}
	if result := m.Object("result"); result != nil {
		return result, nil
	}
	return nil, ErrNoReply
}

// ValidText is the JSON as it was sent, but for what is not UTF-8.
func ValidText(raw json.RawMessage) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
