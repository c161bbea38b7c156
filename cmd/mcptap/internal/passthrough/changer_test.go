package passthrough

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Lines are changed whole, however they come; longer ones pass as they are.
func TestChanger(t *testing.T) {
	const most = 10
	change := func(at int64, line []byte) []byte { return fmt.Appendf(nil, "%d> %s", at, line) }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{0,20}\n){0,10}[a-z]{0,20}`).Draw(t, "text")
		original := text
		seenAt := map[int64]string{}
		var seen strings.Builder
		see := func(at int64, p []byte) {
			seenAt[at] = string(p)
			seen.Write(p)
		}
		var got bytes.Buffer
		c := &changer{to: &got, see: see, now: func() int64 { return 7 }, change: change, most: most}
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(t, "n")
			written, err := c.Write([]byte(text[:n]))
			require.NoError(t, err)
			assert.Equal(t, n, written)
			text = text[n:]
		}
		require.NoError(t, c.end())
		assert.Equal(t, original, seen.String())
		passed := strings.Builder{}
		for line := range strings.Lines(got.String()) {
			if at, rest, ok := strings.Cut(line, "> "); ok {
				n, err := strconv.ParseInt(at, 10, 64)
				require.NoError(t, err)
				assert.Equal(t, seenAt[n], rest, "seen at the time by which it was changed")
				assert.LessOrEqual(t, len(rest), most)
				line = rest
			} else {
				assert.Greater(t, len(line), most)
			}
			passed.WriteString(line)
		}
		assert.Equal(t, original, passed.String())
	})
}
