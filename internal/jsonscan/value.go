package jsonscan

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Value is the text of one JSON value without surrounding white space, as the
// [Cursor] found it; empty means absent. It aliases the scanned text: what is
// to be kept must be cloned.
type Value string

// IsString tells whether v is a string.
func (v Value) IsString() bool { return v != "" && v[0] == '"' }

// IsObject tells whether v is an object.
func (v Value) IsObject() bool { return v != "" && v[0] == '{' }

// IsArray tells whether v is an array.
func (v Value) IsArray() bool { return v != "" && v[0] == '[' }

// IsNumber tells whether v is a number.
func (v Value) IsNumber() bool { return v != "" && (v[0] == '-' || v[0]-'0' <= 9) }

// IsNull tells whether v is null.
func (v Value) IsNull() bool { return v == "null" }

// IsTrue tells whether v is true.
func (v Value) IsTrue() bool { return v == "true" }

// Str is the content of a string, aliasing v unless v holds an escape; ""
// for any other kind.
func (v Value) Str() string {
	if !v.IsString() || len(v) < 2 {
		return ""
	}
	if strings.IndexByte(string(v), '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	if s, ok := unescape(string(v[1 : len(v)-1])); ok {
		return s
	}
	var s string
	if json.Unmarshal([]byte(v), &s) != nil {
		return ""
	}
	return s
}

// Canonical is v with a string written as every writer may write it: ids are
// compared as text, and "a\/b" is "a/b".
func (v Value) Canonical() Value {
	if !v.IsString() || strings.IndexByte(string(v), '\\') < 0 {
		return v
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v.Str()) != nil {
		return v
	}
	return Value(strings.TrimSuffix(b.String(), "\n"))
}

// Text is the content of a string, and the text as it stands of any other kind.
func (v Value) Text() string {
	if v.IsString() {
		return v.Str()
	}
	return string(v)
}

// Int is an integer's value; numbers like 1.0 and 1e3 count as integers.
func (v Value) Int() (int64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<63 || f < -1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Float is a number's value.
func (v Value) Float() (float64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// StrLen is the length in bytes of a string's content.
func (v Value) StrLen() int {
	if !v.IsString() {
		return 0
	}
	if strings.IndexByte(string(v), '\\') < 0 {
		return len(v) - 2
	}
	return len(v.Str())
}

// Cut is the longest prefix of s that is at most limit bytes and does not end
// inside a character. Bytes that are not UTF-8 count as characters of their own.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for n := limit - 1; n >= 0 && n > limit-utf8.UTFMax; n-- {
		if !utf8.RuneStart(s[n]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[n:]); n+size > limit {
			return s[:n]
		}
		break
	}
	return s[:limit]
}
