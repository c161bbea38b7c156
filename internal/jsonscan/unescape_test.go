package jsonscan

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUnescapeAgreesWithEncodingJSON on what it takes.
func TestUnescapeAgreesWithEncodingJSON(t *testing.T) {
	for inside, taken := range map[string]bool{
		``: true, `a`: true, `\"\\\/\b\f\n\r\t`: true, `\u00e9ä\u65e5`: true, `\ud83d\ude00`: true, `\uD83D\uDE00 and more`: true,
		`\ud800`: true, `\ud800\ud800`: true, `\ud800\u0041`: true, `\udc00x`: true, `\ud800\n`: true, `\u0000`: true, `\ufffd`: true,
		`\uFfFf`: true, "\\n\xff": false, `\x`: false, `\u12g4`: false, `\u12`: false, `\`: false, `\ud800\u12`: false,
	} {
		got, ok := unescape(inside)
		assert.Equal(t, taken, ok, inside)
		var want string
		if err := json.Unmarshal([]byte(`"`+inside+`"`), &want); ok {
			assert.NoError(t, err, inside)
			assert.Equal(t, want, got, inside)
		}
		assert.Equal(t, want, Value(`"`+inside+`"`).Str(), inside)
	}
}

func FuzzUnescape(f *testing.F) {
	f.Add(`a\n\ud83d\ude00\u0041`)
	f.Fuzz(func(t *testing.T, inside string) {
		got, ok := unescape(inside)
		var want string
		if err := json.Unmarshal([]byte(`"`+inside+`"`), &want); ok && err == nil && got != want {
			t.Fatalf("%q: %q, not %q", inside, got, want)
		}
	})
}
