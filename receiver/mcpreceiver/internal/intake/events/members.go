package events

import (
	"encoding/json"
	"strings"
)

// members are those of a JSON object of which no type is taken for granted. What
// is missing or of another type than asked for is the zero value.
type members map[string]json.RawMessage

// parse reads an object; anything else has no members.
func parse(raw json.RawMessage) (m members) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// text is a string, or a number as it is written.
func (m members) text(key string) string {
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

// cursorBytes is the longest cursor that is kept: one that no delivery could carry
// is not worth the storage.
const cursorBytes = bodyBytes

// cursor is a string or null; nil for anything else too.
func (m members) cursor() *string {
	var s *string
	if json.Unmarshal(m["cursor"], &s) != nil || s != nil && len(*s) > cursorBytes {
		return nil
	}
	return s
}

func (m members) object(key string) members { return parse(m[key]) }

func (m members) yes(key string) bool { return string(m[key]) == "true" }

// number is a number that is not negative, 0 for anything else.
func (m members) number(key string) float64 {
	var n float64
	if json.Unmarshal(m[key], &n) != nil || n < 0 {
		return 0
	}
	return n
}

// list are the elements of an array.
func (m members) list(key string) (elements []json.RawMessage) {
	if json.Unmarshal(m[key], &elements) != nil {
		return nil
	}
	return elements
}

// valid is the JSON as it was sent, but for what is not UTF-8.
func valid(raw json.RawMessage) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
