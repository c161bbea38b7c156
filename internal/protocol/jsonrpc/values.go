package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// The functions here read values once more that were scanned before, so that the
// first pass need not know the members of every method. None of them allocates,
// unless a string holds an escape.

// Member is the value of one member of an object, empty if there is none. Of
// several with the same name it is the last one.
func Member(object jsonscan.Value, name string) (v jsonscan.Value) {
	if !object.IsObject() {
		return ""
	}
	c := reread(object)
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if value := c.Value(); key == name {
			v = value
		}
	}
	return v
}

// First is the first element of an array, empty if there is none.
func First(array jsonscan.Value) jsonscan.Value {
	if !array.IsArray() {
		return ""
	}
	c := reread(array)
	if c.EnterArray(); !c.Next() {
		return ""
	}
	return c.Value()
}

// Fill stores the members of an object where field points for their names; it
// points to nil for those that are not wanted. Other values have no members.
func Fill(object jsonscan.Value, field func(name string) *jsonscan.Value) {
	fill(object, field, true)
}

// FillPresent is [Fill] for objects in which null is the same as absent.
func FillPresent(object jsonscan.Value, field func(name string) *jsonscan.Value) {
	fill(object, field, false)
}

func fill(object jsonscan.Value, field func(name string) *jsonscan.Value, null bool) {
	if !object.IsObject() {
		return
	}
	for key, v := range object.Members() {
		if to := field(key); to != nil && (null || !v.IsNull()) {
			*to = v
		}
	}
}

// DecodeValue reads a result that is not a message's own: that of a task.
func (r *Result) DecodeValue(v jsonscan.Value) {
	c := reread(v)
	*r = Result{}
	r.decode(&c)
}

// DecodeValue reads an error that is not a message's own: that of a task.
func (e *Error) DecodeValue(v jsonscan.Value) {
	c := reread(v)
	*e = Error{}
	e.decode(&c)
}

// reread is a cursor over a value that was scanned before.
func reread(v jsonscan.Value) (c jsonscan.Cursor) {
	c.ResetText(string(v))
	return c
}
