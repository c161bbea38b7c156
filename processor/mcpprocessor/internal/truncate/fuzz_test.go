package truncate

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func FuzzTruncate(f *testing.F) {
	f.Fuzz(func(t *testing.T, value string, limit uint16, toJSON, size bool) {
		tr := truncatorOf(func(c *Config) {
			c.MaxBytes, c.OriginalSize = max(int(limit), 1), size
			if toJSON {
				c.Mode = ModeJSON
			}
		})
		td := tracesOf(value)
		tr.traces(td)

		attrs := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		v, _ := attrs.Get("span_json")
		checkCut(t, tr.limit, toJSON, value, v.Str())
		_, flagged := attrs.Get("span_json_truncated")
		require.Equal(t, len(value) > tr.limit, flagged)
		_, sized := attrs.Get("span_json_original_bytes")
		require.Equal(t, flagged && size, sized)

		once := ptrace.NewTraces()
		td.CopyTo(once)
		require.Zero(t, tr.traces(td))
		require.Equal(t, once, td)
	})
}

// checkCut holds for every value, whatever it is and however it was cut.
func checkCut(t *testing.T, limit int, toJSON bool, before, after string) {
	if len(before) <= limit {
		require.Equal(t, before, after)
		return
	}
	require.LessOrEqual(t, len(after), limit)
	if utf8.ValidString(before) {
		require.True(t, utf8.ValidString(after))
	}
	if !strings.HasPrefix(before, after) {
		require.True(t, json.Valid([]byte(before)))
		require.True(t, json.Valid([]byte(after)))
	} else if !toJSON {
		lost := utf8.UTFMax - 1 // of a character that does not fit
		if !utf8.ValidString(before) {
			lost = utf8.UTFMax
		}
		require.GreaterOrEqual(t, len(after), limit-lost)
	}
}
