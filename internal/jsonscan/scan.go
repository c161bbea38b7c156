package jsonscan

import (
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
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

// string steps over a string with its quotes. The cursor is at the first quote.
func (c *Cursor) string() Value {
	from, b, i := c.i, c.b, c.i+1
	c.escaped = false
	for {
		if i <= len(b)-8 {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			if i += firstByte(m); b[i] == '"' {
				c.i = i + 1
				return alias(b[from:c.i])
			}
		} else if i >= len(b) {
			c.broken(i, "unfinished string")
			return ""
		}
		step := c.stop(i)
		if step == 0 {
			break
		}
		i += step
	}
	if c.err != nil {
		return ""
	}
	return alias(b[from:c.i])
}

// stop looks at a byte of a string, as a rule one that special marks: it returns how
// far to step over it, or 0 when the string ends there, well or not.
func (c *Cursor) stop(at int) int {
	switch ch := c.b[at]; {
	case ch == '"':
		c.i = at + 1
		return 0
	case ch == '\\':
		c.escaped = true
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

// Masked stands for a value that must not be recorded.
const Masked = "****"

var secretMember = regexp.MustCompile(`("(?:s|\\u0073)ecret"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// MaskSecrets is JSON with the strings of all members named secret masked, at any
// depth; all else stays as it is.
func MaskSecrets(text string) string {
	if !strings.Contains(text, `ecret"`) {
		return text
	}
	return secretMember.ReplaceAllString(text, `$1"`+Masked+`"`)
}

// unescape is the text of a string as encoding/json reads it, several times as
// fast. It is false for text that is not UTF-8 and for escapes that there are
// not, which are left to that.
func unescape(s string) (text string, ok bool) {
	if !utf8.ValidString(s) {
		return "", false
	}
	b := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return string(append(b, s...)), true
		}
		b = append(b, s[:i]...)
		if s = s[i:]; len(s) < 2 {
			return "", false
		}
		if s[1] == 'u' {
			r, n := unicodeEscape(s)
			if n == 0 {
				return "", false
			}
			b, s = utf8.AppendRune(b, r), s[n:]
			continue
		}
		at := strings.IndexByte(`"\/bfnrt`, s[1])
		if at < 0 {
			return "", false
		}
		b, s = append(b, "\"\\/\b\f\n\r\t"[at]), s[2:]
	}
}

// unicodeEscape is the character of the escape that s begins with, or of two that
// make a pair, and their length, 0 if it is none.
func unicodeEscape(s string) (r rune, n int) {
	const one = len(`\u0000`)
	if r = hexRune(s); r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if len(s) > one {
			if pair := utf16.DecodeRune(r, hexRune(s[one:])); pair != utf8.RuneError {
				return pair, 2 * one
			}
		}
		return utf8.RuneError, one
	}
	return r, one
}

// hexRune returns what the \u0000 says that s begins with, -1 if it does not.
func hexRune(s string) (r rune) {
	if len(s) < len(`\u0000`) || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	for i := 2; i < len(`\u0000`); i++ {
		c := s[i]
		switch {
		case c-'0' <= 9:
			c -= '0'
		case hex(c):
			c = (c | 0x20) - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
