// Package settings edits the settings files of programs: JSON with comments or
// without, and TOML. Comments, order and layout of what is there stay; what is
// added looks like its neighbors.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
)

// Member is a key with its value.
type Member struct {
	Key   string
	Value any
}

// Object is a value with members in the order in which they are written. Other
// values are strings, booleans, integers and []any of values.
type Object []Member

// MarshalJSON keeps the order of the members.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		key, err := Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(key, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Marshal is JSON without escapes for HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Canonical is the same text for values that mean the same: JSON with sorted
// keys.
func Canonical(v any) string {
	text, err := Marshal(v)
	if err != nil {
		return ""
	}
	var plain any
	if json.Unmarshal(text, &plain) != nil {
		return ""
	}
	text, _ = Marshal(plain)
	return string(text)
}

// Same reports whether two values mean the same.
func Same(a, b any) bool { return Canonical(a) == Canonical(b) }

// Document is a file that is being edited. A path names a member from the root
// on; its last part may be of an object or a table that does not exist yet. In
// JSON a part may also be the index of an element that exists.
type Document interface {
	// Value is what is at a path: map[string]any, []any, string, bool or a number.
	Value(path ...string) (any, bool)
	// Set gives the member at a path a value.
	Set(path []string, value any) error
	// Append adds an element to the array at a path.
	Append(path []string, value any) error
	// Remove removes a member, and its parents that are empty then as long as they
	// have more than keep parts.
	Remove(path []string, keep int) error
	// RemoveElement removes an element of an array, and like Remove what is empty
	// then.
	RemoveElement(path []string, index, keep int) error
	Text() []byte
}

// Parse reads a file. The extension of its path says which format it has. The error
// is a [SyntaxError], or says that the file has no object.
func Parse(path string, text []byte) (d Document, err error) {
	if isTOML(path) {
		d, err = parseTOML(text)
	} else {
		d, err = parseJSON(text)
	}
	if wrong, ok := errors.AsType[*SyntaxError](err); ok {
		wrong.Path = path
	}
	return d, err
}

func isTOML(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// Depth is the number of parts of a path that exist in a document.
func Depth(d Document, path []string) int {
	for n := len(path); n > 0; n-- {
		if _, ok := d.Value(path[:n]...); ok {
			return n
		}
	}
	return 0
}

var byteOrderMark = []byte("\ufeff")

// lineBreak is as the file has them.
func lineBreak(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
