package jsonscan

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// MaxDepth bounds the nesting of arrays and objects; deeper text is refused.
const MaxDepth = 1024

// Cursor reads one JSON text from front to back. The zero value reads nothing;
// [Cursor.Reset] points it at a text. Errors stick: after the first one every
// method reports the end, and [Cursor.Err] tells why.
//
// What it hands out aliases the text: it is valid as long as the text is
// unchanged. A Cursor is not safe for concurrent use.
type Cursor struct {
	b       []byte
	i       int
	err     error
	fresh   bool // an object or array was just entered: no comma is due
	badUTF8 bool
	escaped bool // the last string may hold an escape
	depth   int  // entered through EnterObject and EnterArray
}

// Reset starts anew at the first byte of b.
func (c *Cursor) Reset(b []byte) { *c = Cursor{b: b} }

// Err is the first error met, or nil.
func (c *Cursor) Err() error { return c.err }

// Offset is the index of the next byte.
func (c *Cursor) Offset() int { return c.i }

// BadUTF8 tells whether a string passed so far held bytes that are not UTF-8.
func (c *Cursor) BadUTF8() bool { return c.badUTF8 }

// ClearBadUTF8 forgets what BadUTF8 tells, so that it speaks of what follows.
func (c *Cursor) ClearBadUTF8() { c.badUTF8 = false }

// End skips white space and tells whether nothing follows.
func (c *Cursor) End() bool {
	c.space()
	return c.i >= len(c.b)
}

// Slice is the text from offset from up to the cursor.
func (c *Cursor) Slice(from int) Value { return alias(c.b[from:c.i]) }

// Peek skips white space and is the next byte, or 0 at the end.
func (c *Cursor) Peek() byte {
	if c.err == nil && c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	return c.peek()
}

// peek is apart so that Peek is inlined.
func (c *Cursor) peek() byte {
	if c.err != nil { // stay where the error is: SkipLine starts there
		return 0
	}
	if c.space(); c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// SkipLine clears the error and moves behind the first line feed from offset
// from on; it is false when there is none.
func (c *Cursor) SkipLine(from int) bool {
	c.err, c.depth, c.fresh, c.i = nil, 0, false, from
	for c.i < len(c.b) {
		c.i++
		if c.b[c.i-1] == '\n' {
			return true
		}
	}
	return false
}

// EnterObject steps into an object; [Cursor.Key] then walks its members.
func (c *Cursor) EnterObject() { c.enter('{', "an object") }

// EnterArray steps into an array; [Cursor.Next] then walks its elements.
func (c *Cursor) EnterArray() { c.enter('[', "an array") }

func (c *Cursor) enter(open byte, what string) {
	if c.Peek() != open {
		c.fail("expected " + what)
		return
	}
	if c.depth++; c.depth > MaxDepth {
		c.fail("nested too deep")
		return
	}
	c.i++
	c.fresh = true
}

// Key is the next member's name, with the cursor at its value, which the caller
// must consume; ok is false at the end of the object.
func (c *Cursor) Key() (key string, ok bool) {
	if !c.more('}') {
		return "", false
	}
	if c.Peek() != '"' {
		c.fail("expected a member name")
		return "", false
	}
	if name := c.string(); c.escaped {
		key = name.Str()
	} else if name != "" {
		key = string(name[1 : len(name)-1])
	}
	if c.Peek() != ':' {
		c.fail("expected a colon")
		return "", false
	}
	c.i++
	return key, true
}

// Next is true when another element follows, which the caller must consume.
func (c *Cursor) Next() bool { return c.more(']') }

// more steps over the comma between two items, or over the closing byte.
func (c *Cursor) more(closing byte) bool {
	ch := c.Peek()
	switch {
	case c.err != nil:
		return false
	case ch == closing:
		c.i++
		c.depth--
		c.fresh = false
		return false
	case c.fresh:
		c.fresh = false
		return ch != 0 || c.fail("unexpected end")
	case ch != ',':
		return c.fail("expected a comma")
	}
	c.i++
	return true
}

func (c *Cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return
		}
	}
}

// fail keeps the first error; it is always false, so that it can end a condition.
func (c *Cursor) fail(why string) bool {
	if c.err == nil {
		c.err = &SyntaxError{Offset: c.i, Reason: why}
	}
	return false
}

// SyntaxError says what is wrong with a text and where.
type SyntaxError struct {
	Offset int    // of the byte at which it was noticed
	Reason string // never holds any of the text
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

func alias(b []byte) Value {
	return Value(unsafe.String(unsafe.SliceData(b), len(b)))
}

// stack remembers for each open bracket whether it was an object's.
type stack struct {
	words [MaxDepth / 64]uint64
	n     int
}

func (s *stack) push(object bool) bool {
	if s.n == MaxDepth {
		return false
	}
	w, bit := s.n/64, uint64(1)<<(s.n%64)
	s.words[w] &^= bit
	if object {
		s.words[w] |= bit
	}
	s.n++
	return true
}

// top is true when the innermost open bracket is an object's.
func (s *stack) top() bool { return s.words[(s.n-1)/64]>>((s.n-1)%64)&1 == 1 }

func firstByte(mask uint64) int { return bits.TrailingZeros64(mask) >> 3 }

// walker steps over a value of any kind, or tells the cursor's error where it is wrong.
type walker struct {
	c    *Cursor
	open stack
}

// value is a loop, so that no text can exhaust the stack.
func (w *walker) value() bool {
	for {
		switch w.c.Peek() {
		case '{', '[':
			if !w.descend() {
				return false
			}
			if w.open.n > 0 && w.c.fresh {
				continue
			}
		default:
			if !w.c.scalar() {
				return false
			}
		}
		if done, ok := w.ascend(); done || !ok {
			return ok
		}
	}
}

// descend opens one bracket; an empty one is closed at once.
func (w *walker) descend() bool {
	c := w.c
	object := c.b[c.i] == '{'
	if c.depth+w.open.n >= MaxDepth || !w.open.push(object) {
		return c.fail("nested too deep")
	}
	c.i++
	closing := byte(']')
	if object {
		closing = '}'
	}
	if c.Peek() == closing {
		c.i++
		w.open.n--
		c.fresh = false
		return true
	}
	c.fresh = true
	return !object || w.name()
}

// ascend follows a finished value: a comma leads to the next one, brackets close.
func (w *walker) ascend() (done, ok bool) {
	c := w.c
	c.fresh = false
	for w.open.n > 0 {
		object := w.open.top()
		switch ch := c.Peek(); {
		case ch == ',':
			c.i++
			return false, !object || w.name()
		case ch == '}' && object, ch == ']' && !object:
			c.i++
			w.open.n--
		default:
			return false, c.fail("expected a comma or a closing bracket")
		}
	}
	return true, true
}

func (w *walker) name() bool {
	c := w.c
	if c.Peek() != '"' {
		return c.fail("expected a member name")
	}
	if c.string(); c.Peek() != ':' {
		return c.fail("expected a colon")
	}
	c.i++
	return true
}
