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
	for _, text := range hostSeeds {
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
	readsOf(t, m)
}

// hostSeeds are what is read a second time, from params or a result.
var hostSeeds = []string{
	`{"jsonrpc":"2.0","method":"notifications/host.compacting","params":{"tokens_before":180000,"tokens_after":0,"messages_dropped":0,"reason":"r"}}`,
	`{"jsonrpc":"2.0","method":"notifications/host.subagent_spawned","params":{"subagent_id":"a","subagent_type":"Explore","task":"t","model":"m"}}`,
	`{"jsonrpc":"2.0","method":"notifications/host.subagent_completed","params":{"subagent_id":"a","duration_seconds":1.5,"outcome":"error","tokens_used":1e3}}`,
	`{"jsonrpc":"2.0","method":"notifications/host.token_pressure","params":{"percent":75.5,"threshold":"high","p\u0065rcent":null}}`,
	`{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"api_timeout","message":"m","retrying":true,"retry_count":-1}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"eywa_heartbeat","arguments":{"phase":"working","detail":"d","files_active":["a",1],"subagents":2}}}`,
	`{"jsonrpc":"2.0","method":"notifications/reminder","params":{"reminder":{"id":"r","body":"b","tags":["t"],"dedupeKey":"k","ttlTurns":3,"firedAtTurn":null}}}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":{"harn":{"reminder":{"id":"r","body":"b","dedupe_key":"k","fired_at_turn":1}}}}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"reminder_emitted","_meta":{"harn":{"reminder":{"reminderId":"r"}}}}}}`,
	`{"jsonrpc":"2.0","method":"session/remind","params":{"body":"b","role_hint":"system","preserve_on_compact":false}}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientCapabilities":{"logging":{"level":"info"}},"capabilities":{"logging":{}}}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"reminders":{"emit":true},"_meta":{"harn":{"reminders":{"emit":true}}},"logging":{}}}}`,
}

// readsOf holds what is read a second time against what encoding/json reads.
func readsOf(t *testing.T, m *Message) {
	var e HostEvent
	e.DecodeHost(m.Params.Raw)
	for key, raw := range fields(t, m.Params.Raw) {
		if to := e.member(key); to != nil {
			require.Equal(t, raw, string(*to), key)
		}
	}
	h := HeartbeatTool(m.Params.Arguments)
	arguments := fields(t, m.Params.Arguments)
	require.Equal(t, arguments["detail"], string(h.CurrentTask))
	require.Equal(t, arguments["files_active"], string(h.FilesActive))
	if r := m.Reminder(); r != nil && m.Method == "session/remind" {
		if body := fields(t, m.Params.Raw)["body"]; body != "null" {
			require.Equal(t, body, string(r.Body))
		}
	}
	for _, c := range []Value{m.Params.Capabilities, m.Params.Meta.Capabilities, m.Result.Capabilities} {
		EmitsReminders(c)
		_, declared := Logging(c)
		require.Equal(t, strings.HasPrefix(fields(t, c)["logging"], "{"), declared)
	}
}

// fields are the members of a value that is an object, none of another.
func fields(t *testing.T, v Value) map[string]string {
	if !v.IsObject() {
		return nil
	}
	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(v), &raw))
	texts := map[string]string{}
	for key, text := range raw {
		texts[key] = string(text)
	}
	return texts
}
