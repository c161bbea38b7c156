package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// nested steps over an object or array, as [Cursor.skip] does, but is false on
// any doubt, and then the cursor is where it was: skip tells what is wrong, if
// anything is. One loop over local variables is much faster than calls.
func (c *Cursor) nested() bool {
	b, i := c.b, c.i
	var open brackets
	var ok, name bool // name: that of a member is due
	for {
		if i = blank(b, i); i >= len(b) {
			return false
		}
		switch ch := b[i]; {
		case ch == '"':
			if i, ok = c.text(i); !ok {
				return false
			}
			if name {
				if i = blank(b, i); i >= len(b) || b[i] != ':' {
					return false
				}
				i++
				name = false
				continue
			}
		case name:
			return false
		case ch == '{', ch == '[':
			if open.n == fewBrackets || c.depth+open.n >= MaxDepth {
				return false
			}
			open.push(ch == '{')
			if i = blank(b, i+1); i >= len(b) || b[i] != ch+2 { // the bracket that closes it
				name = ch == '{'
				continue
			}
		default:
			if i, ok = plainScalar(b, i); !ok {
				return false
			}
		}
		if i = open.follow(b, i); open.n == 0 {
			c.i, c.fresh = i, false
			return true
		}
		name = open.object()
	}
}

// text returns what follows the string at i. Only those that are long or more than
// ASCII need what [Cursor.string] does.
func (c *Cursor) text(i int) (next int, ok bool) {
	if i++; i+16 <= len(c.b) {
		m := special(binary.LittleEndian.Uint64(c.b[i:]))
		if m == 0 {
			i += 8
			m = special(binary.LittleEndian.Uint64(c.b[i:]))
		}
		if at := i + bits.TrailingZeros64(m)>>3; m != 0 && c.b[at] == '"' {
			return at + 1, true
		}
	}
	return c.anyText(i - 1)
}

// anyText is text by [Cursor.string].
func (c *Cursor) anyText(i int) (next int, ok bool) {
	from := c.i
	c.i = i
	c.string()
	next, c.i = c.i, from
	return next, c.err == nil
}

// plainScalar returns what follows the number or literal at i.
func plainScalar(b []byte, i int) (next int, ok bool) {
	if b[i] <= '9' {
		return number(b, i)
	}
	n := literal(b[i:])
	return i + n, n > 0
}

// blank is where white space at i ends.
func blank(b []byte, i int) int {
	if i < len(b) && b[i] > ' ' {
		return i
	}
	return blanks(b, i)
}

// blanks is apart so that blank is inlined.
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// brackets holds the open brackets, the innermost one in the lowest bit, which
// is set if it is an object's. There is room for few, which is enough for most.
type brackets struct {
	bits uint64
	n    int
}

const fewBrackets = 64

func (s *brackets) push(object bool) {
	s.bits <<= 1
	if object {
		s.bits |= 1
	}
	s.n++
}

func (s *brackets) object() bool { return s.bits&1 == 1 }

// follow goes on behind a value: brackets close, and a comma leads to what is
// next. It is behind the text on doubt.
func (s *brackets) follow(b []byte, i int) int {
	for s.n > 0 {
		if i = blank(b, i); i >= len(b) {
			break
		}
		ch := b[i]
		if ch == ',' {
			return i + 1
		}
		if ch != ']'+byte(s.bits&1)*('}'-']') {
			return len(b)
		}
		s.bits >>= 1
		s.n--
		i++
	}
	return i
}
