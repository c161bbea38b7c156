package facts

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// MaxTitle is how many characters a title made of a prompt has.
const MaxTitle = 80

// FirstLine is the first line that says something, with single spaces.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > MaxTitle {
			return strings.TrimRight(string([]rune(line)[:MaxTitle-1]), " ") + "…"
		}
		return line
	}
	return ""
}

// maxPrompt is how much of a prompt is looked at.
const maxPrompt = 4 << 10

// PromptText is what a prompt says, which may be a string, content blocks, or an
// object that has it; it is empty if that cannot be told.
func PromptText(input string) string {
	if strings.HasPrefix(input, `"`) {
		return stringOf(input)
	}
	if len(input) > 16*maxPrompt {
		return ""
	}
	var blocks []struct{ Text string }
	if json.Unmarshal([]byte(input), &blocks) == nil {
		for _, b := range blocks {
			if b.Text != "" {
				return b.Text
			}
		}
	}
	var object struct{ Prompt, Input, Message, Text any }
	if json.Unmarshal([]byte(input), &object) == nil {
		for _, v := range []any{object.Prompt, object.Input, object.Message, object.Text} {
			if s, ok := v.(string); ok && s != "" {
				return s
			}
		}
	}
	return ""
}

// stringOf is the beginning of a JSON string, which may have lost its end.
func stringOf(input string) (s string) {
	if len(input) <= maxPrompt && json.Unmarshal([]byte(input), &s) == nil {
		return s
	}
	input = jsonscan.Cut(input, maxPrompt)
	if i := strings.LastIndexByte(input, '\\'); i >= len(input)-len(`\u0000`) && i > 0 {
		input = strings.TrimRight(input[:i], `\`) // perhaps half an escape
	}
	if json.Unmarshal([]byte(input+`"`), &s) != nil {
		return ""
	}
	return s
}
