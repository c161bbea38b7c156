package messages

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// encoded is the string as encoding/json writes it.
func encoded(t require.TestingT, s string) string {
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(s))
	return strings.TrimSuffix(buffer.String(), "\n")
}

func TestAppendQuotedIsAsEncodingJSON(t *testing.T) {
	for c := range 256 {
		for _, s := range []string{string([]byte{byte(c)}), "text before it, \u00e4" + string([]byte{byte(c)}) + "\u00e4 and behind it"} {
			require.Equal(t, encoded(t, s), string(AppendQuoted(nil, s)), "%q", s)
		}
	}
	for _, s := range []string{"", "<&>", "\u2028\u2029\u202a", "\ufffd", "\xe2\x80", "\xed\xa0\x80", "\U0001f600x", "日本語\xff日本語"} {
		require.Equal(t, encoded(t, s), string(AppendQuoted(nil, s)), "%q", s)
	}
	rapid.Check(t, func(r *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(r, "bytes")) + rapid.String().Draw(r, "text")
		require.Equal(r, encoded(r, s), string(AppendQuoted(nil, s)))
	})
}

func TestAppendQuotedAllocatesNothing(t *testing.T) {
	to := make([]byte, 0, 256)
	require.Zero(t, testing.AllocsPerRun(100, func() { to = AppendQuoted(to[:0], "a \"b\"\n\u00e4\u2028\xff") }))
}
