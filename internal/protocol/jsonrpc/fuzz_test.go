package jsonrpc

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
		"{\"sesion\\n\":1,\"\xff\":2,\"message\":" + ping + "}",
	} {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"notifications/host.token_pressure","params":{"percent":75.5,"p\u0065rcent":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":[{"b":1}],"a":2},"messages":[[1],"x"]}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[]}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"k"},"content":[{"text":"t"}],"contents":[{"text":"t"}]}}`,
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
		if err == nil {
			for _, c := range []byte(it.Unknown()) { // goes into a header
				require.True(t, c >= ' ' && c < 0x7f)
			}
		}
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
	rereads(t, m)
}

// rereads holds the values that are read once more against what encoding/json reads.
func rereads(t *testing.T, m *Message) {
	for _, v := range []jsonscan.Value{m.Params.Raw, m.Params.Arguments, m.Params.Update, m.Result.Raw, m.Result.Task} {
		want, seen := fields(t, v), map[string]string{}
		for name, value := range v.Members() {
			seen[name] = string(value)
		}
		require.Equal(t, want, seen)
		for name, text := range want {
			require.Equal(t, text, string(Member(v, name)), name)
		}
	}
	first := First(m.Params.Messages)
	require.True(t, first == "" || json.Valid([]byte(first)), first)
	var r Result
	r.DecodeValue(m.Result.Raw)
	require.Equal(t, m.Result, r)
}

// fields are the members of a value that is an object, none of another.
func fields(t *testing.T, v jsonscan.Value) map[string]string {
	texts := map[string]string{}
	if !v.IsObject() {
		return texts
	}
	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(v), &raw))
	for key, text := range raw {
		texts[key] = string(text)
	}
	return texts
}
