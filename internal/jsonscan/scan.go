package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Value steps over one value of any kind, checks it whole and returns its text.
func (c *Cursor) Value() Value {
	c.space()
	from := c.i
	if !c.skip() {
		return ""
	}
	return c.Slice(from)
}

// skip steps over a value.
func (c *Cursor) skip() bool {
	if c.err != nil {
		return false
	}
	if c.i < len(c.b) && c.b[c.i] != '{' && c.b[c.i] != '[' {
		return c.scalar()
	}
	if c.nested() {
		return true
	}
	c.err = nil // the same will be found again, if it comes so far
	return (&walker{c: c}).value()
}

func (c *Cursor) scalar() bool {
	switch ch := c.Peek(); {
	case ch == '"':
		c.string()
		return c.err == nil
	case ch == '-', ch >= '0' && ch <= '9':
		return c.number()
	case ch >= 'f' && ch <= 't':
		if n := literal(c.b[c.i:]); n > 0 {
			c.i += n
			return true
		}
	}
	return c.fail("expected a value")
}

// literal is the length of the literal that b begins with, or 0.
func literal(b []byte) int {
	switch {
	case len(b) >= 4 && (string(b[:4]) == "true" || string(b[:4]) == "null"):
		return 4
	case len(b) >= 5 && string(b[:5]) == "false":
		return 5
	}
	return 0
}

func (c *Cursor) number() bool {
	end, ok := number(c.b, c.i)
	c.i = end
	return ok || c.fail("expected a digit")
}

// number is where the number at i ends, or where a digit is missing.
func number(b []byte, i int) (end int, ok bool) {
	if at(b, i, '-') {
		i++
	}
	if at(b, i, '0') {
		i++
	} else if i, ok = digits(b, i); !ok {
		return i, false
	}
	if at(b, i, '.') {
		if i, ok = digits(b, i+1); !ok {
			return i, false
		}
	}
	if !at(b, i, 'e') && !at(b, i, 'E') {
		return i, true
	}
	if i++; at(b, i, '+') || at(b, i, '-') {
		i++
	}
	return digits(b, i)
}

func at(b []byte, i int, ch byte) bool { return i < len(b) && b[i] == ch }

// digits is where the digits at i end; ok is false if there is none.
func digits(b []byte, i int) (end int, ok bool) {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i, i > from
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks the bytes of w at which a plain ASCII string stops: quotes,
// backslashes, control characters, and everything outside ASCII. A byte above
// a marked one may be marked too; the lowest mark is always right.
func special(w uint64) uint64 {
	quote, slash := w^(lows*'"'), w^(lows*'\\')
	return ((quote - lows) | (slash - lows) | (w - lows*0x20) | w) & highs
}

// marksOf has bit i set where special marks byte i of the 64 at p.
func marksOf(p *[blockBytes]byte) uint64 {
	a, b, c, d := special(word(p[0:8])), special(word(p[8:16])), special(word(p[16:24])), special(word(p[24:32]))
	e, f, g, h := special(word(p[32:40])), special(word(p[40:48])), special(word(p[48:56])), special(word(p[56:64]))
	if a|b|c|d|e|f|g|h == 0 {
		return 0
	}
	return pack(a) | pack(b)<<8 | pack(c)<<16 | pack(d)<<24 | pack(e)<<32 | pack(f)<<40 | pack(g)<<48 | pack(h)<<56
}

// marksGeneric fills in the marks of each block of b.
func marksGeneric(b []byte, to []uint64) {
	for i := range to {
		to[i] = marksOf((*[blockBytes]byte)(b[i*blockBytes:]))
	}
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// pack gathers the marks of eight bytes in the lowest eight bits.
func pack(m uint64) uint64 { return (m >> 7) * 0x0102040810204080 >> 56 }

// blockBytes is the number of bytes that one mark word stands for.
const blockBytes = 64

// string steps over a string with its quotes. The cursor is at the first quote.
func (c *Cursor) string() Value {
	from, b, i := c.i, c.b, c.i+1
	c.escaped = false
	for end := min(len(b)-8, i+blockBytes); i <= end; i += 8 { // most strings are short
		m := special(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			continue
		}
		if i += firstByte(m); b[i] == '"' {
			c.i = i + 1
			return alias(b[from:c.i])
		}
		break
	}
	c.escaped = true
	if i, open := c.blocks(i); open {
		c.rest(i)
	}
	if c.err != nil {
		return ""
	}
	return alias(b[from:c.i])
}

// blocks goes on with a string at i by whole blocks, ever more of them at once.
// It is false when the string ended, well or not, else where the rest begins.
func (c *Cursor) blocks(i int) (rest int, open bool) {
	var ahead [16]uint64
	skip := 0 // up to where a character or escape reaches that was looked at
	for n := 2; ; n *= 2 {
		n = min(n, len(ahead), (len(c.b)-i)/blockBytes)
		if n <= 0 {
			return max(i, skip), true
		}
		marks(c.b[i:i+n*blockBytes], ahead[:n])
		for _, m := range ahead[:n] {
			for m &= ^uint64(0) << max(skip-i, 0); m != 0; m &= ^uint64(0) << (skip - i) {
				at := i + bits.TrailingZeros64(m)
				if c.b[at] == '\\' && at+1 < len(c.b) && short[c.b[at+1]] {
					skip = at + 2
					continue
				}
				step := c.stop(at)
				if step == 0 {
					return at, false
				}
				skip = at + step
			}
			i += blockBytes
		}
	}
}

// rest is a string's end, byte by byte.
func (c *Cursor) rest(i int) {
	for i < len(c.b) {
		step := c.stop(i)
		if step == 0 {
			return
		}
		i += step
	}
	c.broken(i, "unfinished string")
}

// stop looks at the byte at which a plain string stops: it is how far to step
// over it, or 0 when the string ends there, well or not.
func (c *Cursor) stop(at int) int {
	switch ch := c.b[at]; {
	case ch == '"':
		c.i = at + 1
		return 0
	case ch == '\\':
		if n := escape(c.b[at:]); n > 0 {
			return n
		}
		return c.broken(at, "invalid escape in a string")
	case ch < 0x20:
		return c.broken(at, "control character in a string")
	case ch < utf8.RuneSelf:
		return 1
	}
	_, size := utf8.DecodeRune(c.b[at:])
	if size == 1 {
		c.badUTF8 = true
	}
	return size
}

func (c *Cursor) broken(at int, why string) int {
	c.i = at
	c.fail(why)
	return 0
}

// short are the second bytes of the escapes that have two.
var short = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape is the length of the escape sequence that b begins with, or 0.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch {
	case short[b[1]]:
		return 2
	case b[1] == 'u':
		if len(b) >= 6 && hex(b[2]) && hex(b[3]) && hex(b[4]) && hex(b[5]) {
			return 6
		}
	}
	return 0
}

func hex(ch byte) bool {
	return ch-'0' <= 9 || (ch|0x20)-'a' <= 5
}
