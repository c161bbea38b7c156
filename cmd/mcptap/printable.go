package main

import (
	"fmt"
	"io"
	"strings"
)

// printable passes text to a terminal. Names of servers and the like are others': what a
// terminal would obey is written as an escape, which JSON understands.
type printable struct{ to io.Writer }

// Write implements io.Writer. p has no part of a character.
func (w printable) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, escaped(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func escaped(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
			b.WriteRune(r)
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// obeyed reports whether a terminal obeys a character: controls, and what changes the
// direction of text. Tabs and line feeds are ours.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
