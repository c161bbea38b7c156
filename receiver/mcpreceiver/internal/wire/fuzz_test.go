package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func FuzzItem(f *testing.F) {
	for _, text := range []string{
		ping, `{"message":` + ping + `,"time":"2026-02-19T16:00:00Z","session":"s"}`, `{"end":{"reason":"x","exit_code":1}}`,
		`{"transport_status":"connected","time":1}`, `{"jsonrpc":"2.0","id":"a","result":{"contents":[{"blob":"aGk="}]}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`, "{\"method\":\"\xff\"}", `{"m\u0065thod":"x","method":"y"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		var c jsonscan.Cursor
		var it Item
		c.Reset(body)
		err := it.Decode(&c)
		require.Equal(t, before, body)
		if err != nil || !it.HasMessage {
			return
		}
		raw := string(it.Message.Raw)
		require.True(t, utf8.ValidString(raw) || !it.Sanitized, raw)
		agrees(t, &it.Message, raw)
		if !it.Sanitized {
			require.Contains(t, string(body), raw)
		}
	})
}

// agrees holds the message against what encoding/json reads.
func agrees(t *testing.T, m *Message, raw string) {
	require.True(t, json.Valid([]byte(raw)), raw)
	var want map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(raw), &want))
	var method string
	if text, ok := want["method"]; ok {
		require.NoError(t, json.Unmarshal(text, &method))
	}
	require.Equal(t, method, m.Method)
	if m.ID != "" {
		require.Equal(t, string(want["id"]), string(m.ID))
	} else {
		require.Contains(t, []string{"", "null"}, string(want["id"]))
	}
	require.Equal(t, m.Kind == Response, m.Method == "")
	if params := want["params"]; m.Params.Raw != "" {
		require.Equal(t, string(params), strings.TrimSpace(string(m.Params.Raw)))
	}
	require.GreaterOrEqual(t, m.Result.Bytes, int64(0))
}
