package inspectorwire

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func FuzzDecode(f *testing.F) {
	for _, tc := range decoded {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		var c jsonscan.Cursor
		c.Reset(text)
		var e Event
		err := Decode(&c, &e)
		require.Equal(t, before, text)
		if err != nil {
			require.Zero(t, e)
			return
		}
		sound(t, &e)
		if !e.Sanitized {
			require.Equal(t, string(bytes.TrimLeft(text[:c.Offset()], " \t\r\n")), e.Raw)
		}
	})
}

// sound checks what holds for every event that is accepted.
func sound(t *testing.T, e *Event) {
	require.True(t, json.Valid([]byte(e.Raw)), e.Raw)
	require.True(t, utf8.ValidString(e.Raw), e.Raw)
	require.NotEmpty(t, e.Type)
	require.GreaterOrEqual(t, e.DurationMS, 0.0)
	require.GreaterOrEqual(t, min(e.Time, e.StartTime, e.EndTime), int64(0))
	var members struct{ Type any }
	require.NoError(t, json.Unmarshal([]byte(e.Raw), &members))
}

func FuzzWalk(f *testing.F) {
	f.Add([]byte("[{\"type\":\"A\"},{bad}]\n"), false)
	f.Add([]byte("{\"type\":\"A\"}\n{bad}\n{\n\"type\":\"B\"\n}"), false)
	for _, name := range []string{"connected", "session_started", "keep_alive"} {
		f.Add(frame(f, name), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		before := bytes.Clone(body)
		form := JSON
		if stream {
			form = SSE
		}
		n, errs := 0, 0
		for i, item := range Events(body, form) {
			require.Equal(t, n, i)
			n++
			if item.Err != nil {
				require.Zero(t, *item.Event)
				errs++
				continue
			}
			sound(t, item.Event)
		}
		require.Equal(t, before, body)
		require.LessOrEqual(t, n, len(body), "items out of nothing")
		if want, ok := count(body); ok && form == JSON {
			require.Equal(t, want, n)
		}
	})
}

// count returns how many items a body of good JSON has, as encoding/json sees it.
func count(body []byte) (n int, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return n, err == io.EOF
		}
		if v[0] != '[' {
			n++
			continue
		}
		var elements []json.RawMessage
		if json.Unmarshal(v, &elements) != nil {
			return 0, false
		}
		n += len(elements)
	}
}
