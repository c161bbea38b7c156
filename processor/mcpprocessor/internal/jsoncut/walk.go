package jsoncut

import "unicode/utf8"

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
