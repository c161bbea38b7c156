package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
)

// both walks a text by the fast way and by the other one: what the fast one takes
// must be what the other one takes.
func both(t *testing.T, text string) (taken bool) {
	t.Helper()
	var fast, whole Cursor
	fast.Reset([]byte(text))
	whole.Reset([]byte(text))
	taken = fast.nested()
	if ok := whole.walk(); taken {
		assert.True(t, ok, "%q: %v", text, whole.Err())
		assert.Equal(t, whole.Offset(), fast.Offset(), text)
		assert.Equal(t, whole.BadUTF8(), fast.BadUTF8(), text)
	} else {
		assert.Zero(t, fast.Offset(), text)
	}
	return taken
}

// TestNestedTakesWhatWalkTakes breaks a text at each of its bytes, and by each
// that means something.
func TestNestedTakesWhatWalkTakes(t *testing.T) {
	text := payload.Structured(700) + ` { "ä\n\u00e9" : [ { } , [ ] , -1.5e+10 , "` + strings.Repeat("long ", 40) + `" ] }`
	for _, text := range []string{text, text[strings.IndexByte(text, ' ')+1:]} {
		assert.True(t, both(t, text))
		for at := range text {
			both(t, text[:at])
			for _, c := range "{}[],:\"\\-0e.tn \x00\x80" {
				both(t, text[:at]+string(c)+text[at:])
				both(t, text[:at]+string(c)+text[at+1:])
				both(t, text[:at]+"\xff"+text[at+1:])
			}
		}
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			assert.Equal(t, json.Valid([]byte(text)), both(t, text), text)
		}
	}
}

// TestNestedLeavesWhatIsDeep to walk, which has room for it.
func TestNestedLeavesWhatIsDeep(t *testing.T) {
	for depth, want := range map[int]bool{1: true, fewBrackets: true, fewBrackets + 1: false} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := strings.Repeat(pair[0], depth) + "1" + strings.Repeat(pair[1], depth)
			assert.Equal(t, want, both(t, text), depth)
			_, err := scan(text)
			assert.NoError(t, err)
		}
	}
}
