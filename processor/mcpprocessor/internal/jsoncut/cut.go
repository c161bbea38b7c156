package jsoncut

import (
	"unsafe"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Cut shortens s, which is longer than limit bytes, to at most limit bytes. The
// result is the longest prefix of s that is a whole JSON text once its open
// string, arrays and objects are closed, with the brackets and the quote that
// close it:
//
//	{"a":[1,"two"],"b":3}  limit 12  →  {"a":[1,""]}
//	{"a":[1,"two"],"b":3}  limit 16  →  {"a":[1,"two"]}
//
// A member without its value, the comma before it, and a part of a name, of a
// number, of a literal, of an escape, of a surrogate pair or of a UTF-8
// character are left out.
//
// It is false when s is not JSON or nests deeper than [jsonscan.MaxDepth], and
// when no such prefix fits: s is one long number, begins with that much white
// space, or limit has no room for the brackets.
//
// The time it takes grows with the length of s, the memory with limit. It is
// safe for concurrent use.
func Cut(s string, limit int) (string, bool) {
	if limit < 1 || len(s) <= limit || !valid(s) {
		return "", false
	}
	w := walk{text: s, limit: limit}
	w.run()
	return w.best.close(s), w.best.end > 0
}

func valid(s string) bool {
	var c jsonscan.Cursor
	// The cursor only reads, and a long value is not worth a copy.
	c.Reset(unsafe.Slice(unsafe.StringData(s), len(s)))
	c.Value()
	c.Peek()
	return c.Err() == nil && c.Offset() == len(s)
}
