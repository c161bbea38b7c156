package jsonscan

import (
	"iter"
	"unsafe"
)

// ResetText is [Cursor.Reset] for a text, which is not copied: a cursor never writes.
func (c *Cursor) ResetText(text string) { c.Reset(unsafe.Slice(unsafe.StringData(text), len(text))) }

// Members returns the members of an object in their order; any other value has none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if !v.IsObject() {
			return
		}
		var c Cursor
		c.ResetText(string(v))
		c.EnterObject()
		for key, ok := c.Key(); ok; key, ok = c.Key() {
			if m := c.Value(); c.Err() != nil || !yield(key, m) {
				return
			}
		}
	}
}

// Elements returns the elements of an array in their order; any other value has none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.IsArray() {
			return
		}
		var c Cursor
		c.ResetText(string(v))
		for c.EnterArray(); c.Next(); {
			if e := c.Value(); c.Err() != nil || !yield(e) {
				return
			}
		}
	}
}
