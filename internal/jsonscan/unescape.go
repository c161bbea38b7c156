package jsonscan

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
