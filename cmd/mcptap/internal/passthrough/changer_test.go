package passthrough

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Lines are changed whole, however they come; longer ones pass as they are.
func TestChanger(t *testing.T) {
	const most = 10
	change := func(line []byte) []byte { return append([]byte("> "), line...) }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{0,20}\n){0,10}[a-z]{0,20}`).Draw(t, "text")
		var want strings.Builder
		for line := range strings.Lines(text) {
			if len(line) <= most {
				want.WriteString("> ")
			}
			want.WriteString(line)
		}
		var got bytes.Buffer
		c := &changer{to: &got, change: change, most: most}
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(t, "n")
			written, err := c.Write([]byte(text[:n]))
			require.NoError(t, err)
			assert.Equal(t, n, written)
			text = text[n:]
		}
		require.NoError(t, c.end())
		assert.Equal(t, want.String(), got.String())
	})
}
