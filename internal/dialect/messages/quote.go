package messages

import (
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// AppendQuoted appends a string as JSON, as encoding/json writes it if it leaves HTML
// alone, but without memory of its own. Bytes that are not UTF-8 become U+FFFD.
func AppendQuoted(to []byte, s string) []byte {
	to = append(to, '"')
	for {
		n := jsonscan.Plain(s)
		to = append(to, s[:n]...)
		if s = s[n:]; s == "" {
			return append(to, '"')
		}
		if s[0] < utf8.RuneSelf {
			to, s = appendEscape(to, s[0]), s[1:]
		} else {
			to, s = appendRunes(to, s)
		}
	}
}

const hexDigits = "0123456789abcdef"

// appendEscape appends a byte of ASCII that a string may not hold as it is.
func appendEscape(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, `\b`...)
	case '\f':
		return append(to, `\f`...)
	case '\n':
		return append(to, `\n`...)
	case '\r':
		return append(to, `\r`...)
	case '\t':
		return append(to, `\t`...)
	}
	return append(to, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendRunes appends the characters that s begins with and that are not of ASCII, and
// returns what follows.
func appendRunes(to []byte, s string) ([]byte, string) {
	n := 0 // bytes that stay as they are
	for n < len(s) && s[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(s[n:])
		escaped := ""
		switch {
		case r == utf8.RuneError && size == 1:
			escaped = `\ufffd`
		case r == '\u2028':
			escaped = `\u2028`
		case r == '\u2029':
			escaped = `\u2029`
		default:
			n += size
			continue
		}
		to = append(append(to, s[:n]...), escaped...)
		s, n = s[n+size:], 0
	}
	return append(to, s[:n]...), s[n:]
}
