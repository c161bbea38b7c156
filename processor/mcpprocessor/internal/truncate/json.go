package truncate

import (
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// closedPrefix shortens s, which is longer than limit bytes, to at most limit bytes. The
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
func closedPrefix(s string, limit int) (string, bool) {
	if limit < 1 || len(s) <= limit || !validJSON(s) {
		return "", false
	}
	w := walk{text: s, limit: limit}
	w.run()
	return w.best.close(s), w.best.end > 0
}

func validJSON(s string) bool {
	var c jsonscan.Cursor
	c.ResetText(s)
	c.Value()
	c.Peek()
	return c.Err() == nil && c.Offset() == len(s)
}

// cutting is a prefix and what is open at its end.
type cutting struct {
	end    int // 0 means none
	quoted bool
	open   stack
}

// close is the prefix with all that is open closed, in memory of its own.
func (c *cutting) close(s string) string {
	var out strings.Builder
	out.Grow(c.end + c.open.depth + len(`"`))
	out.WriteString(s[:c.end])
	if c.quoted {
		out.WriteByte('"')
	}
	for open := c.open; open.depth > 0; open.pop() {
		out.WriteByte(open.closing())
	}
	return out.String()
}

// walk steps over the first limit bytes of a text that is known to be JSON, so it
// checks nothing. It keeps the last place where the text can be cut.
type walk struct {
	text  string
	limit int
	i     int
	open  stack
	name  bool // the next string is a member's name
	whole bool // the text up to i needs brackets only
	best  cutting
}

func (w *walk) run() {
	for w.i < w.limit {
		switch w.text[w.i] {
		case '{', '[':
			w.enter(w.text[w.i] == '{')
		case '}', ']':
			w.open.pop()
			w.step(true)
		case ',':
			w.name = w.open.object()
			w.step(false)
		case ':':
			w.name = false
			w.step(false)
		case ' ', '\t', '\r', '\n':
			w.step(w.whole)
		case '"':
			w.string()
		default:
			w.word()
		}
		if w.whole && w.i+w.open.depth <= w.limit {
			w.best = cutting{end: w.i, open: w.open}
		}
	}
}

func (w *walk) enter(object bool) {
	w.open.push(object)
	w.name = object
	w.step(true)
}

// step steps over one byte, after which the text is whole or not.
func (w *walk) step(whole bool) {
	w.i++
	w.whole = whole
}

// word steps over a number or a literal, which cannot be cut.
func (w *walk) word() {
	for w.i < w.limit && !ends(w.text[w.i]) {
		w.i++
	}
	w.whole = ends(w.text[w.i])
}

func ends(ch byte) bool {
	switch ch {
	case ',', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// string steps over a string with its quotes. Only a value can be cut inside.
func (w *walk) string() {
	room := w.limit - w.open.depth - len(`"`)
	cut, i := 0, w.i+1
	for i < w.limit && w.text[i] != '"' {
		if i <= room {
			cut = i
		}
		i += unit(w.text[i:])
	}
	if i <= room {
		cut = i
	}
	if cut > 0 && !w.name {
		w.best = cutting{end: cut, quoted: true, open: w.open}
	}
	w.i = i + 1
	w.whole = !w.name
}

// unit is the length of the first character of a string's content, as it is
// written: a surrogate pair is one character.
func unit(s string) int {
	switch {
	case s[0] == '\\' && s[1] == 'u':
		if high(s) && low(s[6:]) {
			return 12
		}
		return 6
	case s[0] == '\\':
		return 2
	case s[0] < utf8.RuneSelf:
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func high(s string) bool {
	return s[2]|0x20 == 'd' && (s[3] == '8' || s[3] == '9' || s[3]|0x20 == 'a' || s[3]|0x20 == 'b')
}

// low is called with the rest of a string, which its quote ends.
func low(s string) bool {
	return s[0] == '\\' && s[1] == 'u' && s[2]|0x20 == 'd' && s[3]|0x20 >= 'c' && s[3]|0x20 <= 'f'
}

// stack remembers for each open bracket whether it is an object's. A copy is
// independent, so that it serves as a snapshot.
type stack struct {
	depth int
	words [jsonscan.MaxDepth / 64]uint64
}

func (s *stack) push(object bool) {
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	s.words[word] &^= bit
	if object {
		s.words[word] |= bit
	}
	s.depth++
}

func (s *stack) pop() { s.depth-- }

// object reports whether the innermost open bracket is an object's.
func (s *stack) object() bool {
	top := s.depth - 1
	return top >= 0 && s.words[top/64]>>(top%64)&1 == 1
}

func (s *stack) closing() byte {
	if s.object() {
		return '}'
	}
	return ']'
}
