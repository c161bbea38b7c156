package events

import (
	"encoding/json"
	"strings"
)

// maxDelivery is the size of the largest webhook delivery in bytes (MCP Events).
const maxDelivery = 256 << 10

// members is a JSON object of which no type is taken for granted. What
// is missing or of another type than asked for is the zero value.
type members map[string]json.RawMessage

// parseMembers reads an object; anything else has no members.
func parseMembers(raw json.RawMessage) (m members) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Text is a string, or a number as it is written.
func (m members) Text(key string) string {
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
func (m members) Cursor() *string {
	var s *string
	if json.Unmarshal(m["cursor"], &s) != nil || s != nil && len(*s) > maxDelivery {
		return nil
	}
	return s
}

// Object is an object.
func (m members) Object(key string) members { return parseMembers(m[key]) }

// Bool reports whether the member is true.
func (m members) Bool(key string) bool { return string(m[key]) == "true" }

// Number is a number that is not negative, 0 for anything else.
func (m members) Number(key string) float64 {
	var n float64
	if json.Unmarshal(m[key], &n) != nil || n < 0 {
		return 0
	}
	return n
}

// List are the elements of an array.
func (m members) List(key string) (elements []json.RawMessage) {
	if json.Unmarshal(m[key], &elements) != nil {
		return nil
	}
	return elements
}

// resultOf is the result in a JSON-RPC response, or its error.
func resultOf(m members) (members, error) {
	if fault := m.Object("error"); fault != nil {
		return nil, errorOf(fault)
	}
	if result := m.Object("result"); result != nil {
		return result, nil
	}
	return nil, errNoReply
}

// validText is the JSON as it was sent, but for what is not UTF-8.
func validText(raw json.RawMessage) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
