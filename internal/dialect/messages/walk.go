package messages

import (
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
	c.ResetText(text)
	v := c.Value()
	if c.Err() != nil || !c.End() || c.Err() != nil {
		return ""
	}
	return v
}

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
	if c.ResetText(text); c.Peek() != '{' {
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

// Value is the text of one JSON value.
type Value = jsonscan.Value

// Member is a member of an object, absent if there is none.
func Member(v jsonscan.Value, name string) jsonscan.Value { return member(v, name) }

func member(v jsonscan.Value, name string) jsonscan.Value {
	if !v.IsObject() {
		return ""
	}
	for key, m := range v.Members() {
		if key == name {
			return m
		}
	}
	return ""
}
