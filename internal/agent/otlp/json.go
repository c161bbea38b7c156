package otlp

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Quote is a string as JSON, written as [jsonscan.Value.Canonical] writes it, so
// that ids compare as text with those that arrived as JSON.
func Quote(s string) event.JSON {
	if plain(s) {
		return event.JSON(`"` + s + `"`)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(strings.ToValidUTF8(s, "\uFFFD")) != nil {
		return ""
	}
	return event.JSON(strings.TrimSuffix(b.String(), "\n"))
}

// plain reports whether JSON escapes nothing of s.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Embedded is a string that may hold an object or an array of JSON: as it is if
// it does, else quoted.
func Embedded(s string) event.JSON {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return ""
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		var c jsonscan.Cursor
		c.ResetText(trimmed)
		if v := c.Value(); c.Err() == nil && c.End() && !c.BadUTF8() {
			return v
		}
	}
	return Quote(s)
}

// Decimal is a number as JSON.
func Decimal(f float64) event.JSON {
	return event.JSON(strconv.FormatFloat(f, 'f', -1, 64))
}

// Quoted is [Quote] of a string that is absent if it is empty.
func Quoted(s string) event.JSON {
	if s == "" {
		return ""
	}
	return Quote(s)
}
