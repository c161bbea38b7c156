package messages

import (
	"unsafe"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Valid is the text as one JSON value, absent if it is none. Values that are nested
// deeper than [jsonscan.MaxDepth] count as none.
func Valid(text string) jsonscan.Value { return value(text) }

func value(text string) jsonscan.Value {
	if text == "" || len(text) > MaxInput {
		return ""
	}
	switch text[0] {
	case '{', '[', '"', ' ', '\t', '\r', '\n':
	default:
		return ""
	}
	var c jsonscan.Cursor
	c.Reset(bytesOf(text))
	v := c.Value()
	if c.Err() != nil || !c.End() || c.Err() != nil {
		return ""
	}
	return v
}

// bytesOf aliases a text, for a cursor, which only reads.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Pick reads the values of members of an object in a text, those of names, into to, in
// one go with the check that the text is one JSON value: [Valid] and [Member] would
// read it once more for each. Those that are not there are absent, all are if the text
// is no object. Of two members of one name the first counts.
func Pick(text string, names []string, to []Value) {
	clear(to)
	if text == "" || len(text) > MaxInput {
		return
	}
	var c jsonscan.Cursor
	if c.Reset(bytesOf(text)); c.Peek() != '{' {
		return
	}
	for c.EnterObject(); ; {
		key, ok := c.Key()
		if !ok {
			break
		}
		v := c.Value()
		for i, name := range names {
			if key == name && to[i] == "" {
				to[i] = v
			}
		}
	}
	if c.Err() != nil || !c.End() {
		clear(to)
	}
}

// items are the elements of an array.
func items(v jsonscan.Value) func(yield func(jsonscan.Value) bool) {
	return func(yield func(jsonscan.Value) bool) {
		var c jsonscan.Cursor
		c.Reset(bytesOf(string(v)))
		for c.EnterArray(); c.Next(); {
			if !yield(c.Value()) {
				return
			}
		}
	}
}

// members are those of an object.
func members(v jsonscan.Value) func(yield func(string, jsonscan.Value) bool) {
	return func(yield func(string, jsonscan.Value) bool) {
		var c jsonscan.Cursor
		c.Reset(bytesOf(string(v)))
		c.EnterObject()
		for {
			key, ok := c.Key()
			if !ok || !yield(key, c.Value()) {
				return
			}
		}
	}
}

// Value is the text of one JSON value.
type Value = jsonscan.Value

// Members are those of an object, none if it is no object.
func Members(v Value) func(yield func(string, Value) bool) {
	if !v.IsObject() {
		return func(func(string, Value) bool) {}
	}
	return members(v)
}

// Items are the elements of an array, none if it is no array.
func Items(v Value) func(yield func(Value) bool) {
	if !v.IsArray() {
		return func(func(Value) bool) {}
	}
	return items(v)
}

// Member is a member of an object, absent if there is none.
func Member(v jsonscan.Value, name string) jsonscan.Value { return member(v, name) }

func member(v jsonscan.Value, name string) jsonscan.Value {
	if !v.IsObject() {
		return ""
	}
	for key, m := range members(v) {
		if key == name {
			return m
		}
	}
	return ""
}
