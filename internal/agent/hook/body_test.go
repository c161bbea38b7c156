package hook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func decode(text string, otherwise Defaults) (b Body, err error) {
	var c jsonscan.Cursor
	c.Reset([]byte(text))
	err = b.Decode(&c, otherwise)
	return b, err
}

func TestBodies(t *testing.T) {
	text := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"T","tool_use_id":"a\/b","tool_input":{"a":1},` +
		`"tool_response":[1],"duration_ms":1.5,"mcp_server":{"name":"m"},"agent_id":"g","other":{"tool_name":"x"}}`
	b, err := decode(text, Defaults{})
	require.NoError(t, err)
	require.Equal(t, Body{
		Raw: jsonscan.Value(text), Event: "PostToolUse", Name: `"PostToolUse"`, Session: `"s"`,
		Tool:  Tool{Name: `"T"`, ID: `"a/b"`, Input: `{"a":1}`, Output: `[1]`, Duration: "1.5", Server: `{"name":"m"}`},
		Agent: Agent{ID: `"g"`},
	}, b)
}

// Each name of a member has a place, and one only.
func TestMembers(t *testing.T) {
	var b Body
	places := map[*jsonscan.Value][]string{}
	for _, name := range []string{
		"hook_event_name", "session_id", "conversation_id", "turn_id", "timestamp", "session_title", "prompt", "message",
		"notification_type", "trigger", "status", "reason", "last_assistant_message", "error", "error_details", "recoverable",
		"tool_name", "tool_use_id", "tool_input", "tool_response", "duration_ms", "mcp_server", "is_interrupt",
		"agent_id", "agent_type", "agent_name", "parent_agent_id", "task", "subagent_model", "version", "model", "context_window_size", "cwd",
		"llm_request", "llm_response", "usage", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
	} {
		to := b.field(name)
		require.NotNil(t, to, name)
		places[to] = append(places[to], name)
		require.Len(t, places[to], 1, name)
	}
	for name, same := range map[string]string{
		"hookEventName": "hook_event_name", "hookName": "hook_event_name", "toolInput": "tool_input", "parentAgentId": "parent_agent_id", "sessionId": "session_id", "prompt_id": "turn_id", "generation_id": "turn_id",
		"notificationType": "notification_type", "final_status": "status", "error_message": "error",
		"failure_type": "error_details", "error_context": "error_details", "errorContext": "error_details",
		"toolName": "tool_name", "toolUseId": "tool_use_id", "toolArgs": "tool_input", "tool_output": "tool_response",
		"tool_result": "tool_response", "toolResult": "tool_response", "duration": "duration_ms", "mcp_context": "mcp_server",
		"subagent_id": "agent_id", "agentId": "agent_id", "subagent_type": "agent_type", "agentType": "agent_type",
		"agentName": "agent_name", "cursor_version": "version",
	} {
		require.Same(t, b.field(same), b.field(name), name)
	}
	require.Nil(t, b.field("transcript_path"))
}

func TestBodiesThatCannotBeAccepted(t *testing.T) {
	for _, bad := range []struct {
		text string
		want error
	}{
		{`[]`, ErrNotObject},
		{`{"session_id":"s"}`, ErrNoEvent},
		{`{"session_id":"s","hook_event_name":1}`, ErrNoEvent},
		{`{"hook_event_name":"Stop"}`, ErrNoSession},
		{`{"session_id":1,"hook_event_name":"Stop"}`, ErrNoSession},
	} {
		_, err := decode(bad.text, Defaults{})
		require.ErrorIs(t, err, bad.want, bad.text)
	}
	_, err := decode(`{"hook_event_name":"Stop"`, Defaults{Session: "s"})
	require.Error(t, err)
	b, err := decode("{\"hook_event_name\":\"Stop\xff\"}", Defaults{Session: "s"})
	require.NoError(t, err)
	require.True(t, b.Sanitized)
	require.Equal(t, "Stop\uFFFD", b.Event)
}

func TestDefaults(t *testing.T) {
	b, err := decode(`{"sessionId":"s"}`, Defaults{Session: "other", Event: "sessionStart"})
	require.NoError(t, err)
	require.Equal(t, "sessionStart", b.Event)
	require.Equal(t, "s", b.SessionID())
	b, err = decode(`{"hook_event_name":"Stop","session_id":"s","conversation_id":"c"}`, Defaults{Event: "sessionStart"})
	require.NoError(t, err)
	require.Equal(t, "Stop", b.Event)
	require.Equal(t, "c", b.SessionID())
	b, err = decode(`{"hook_event_name":"Stop","session_id":"a","agent_id":"a","parent_agent_id":"s"}`, Defaults{})
	require.NoError(t, err)
	require.Equal(t, "s", b.SessionID())
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 9, 55, 79e6, time.UTC).UnixNano()
	for text, want := range map[string]int64{
		`"2026-11-22T10:09:55.079Z"`: at, `"2026-11-22T11:09:55.079+01:00"`: at, `1795342195079`: at,
		`""`: 0, `"yesterday"`: 0, `-1`: 0, `1e300`: 0, `"0000-01-01T00:00:00Z"`: 0, `"9999-01-01T00:00:00Z"`: 0, `null`: 0, `{}`: 0, ``: 0,
	} {
		b := Body{Time: jsonscan.Value(text)}
		require.Equal(t, want, b.When(), text)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"Bash": {}, "mcp__files__read": {"files", "read"}, "mcp__files__read__all": {"files", "read__all"},
		"mcp__files": {}, "mcp____read": {}, "mcp_files_read": {},
	} {
		server, tool := SplitName(name)
		require.Equal(t, want, [2]string{server, tool}, name)
	}
}

func TestFacts(t *testing.T) {
	b, err := decode(`{"session_id":"s","hook_event_name":"x","cwd":"/p","model":"m","cursor_version":"1","context_window_size":7,"turn_id":"t"}`, Defaults{})
	require.NoError(t, err)
	var d Events
	d.Begin(&b)
	a := d.Unknown().(*event.SelfReport)
	require.Equal(t, &event.Facts{Version: "1", Model: "m", Window: 7, Dir: "/p"}, a.Facts)
	require.Equal(t, "t", a.Turn)
}

func TestSeconds(t *testing.T) {
	for ms, want := range map[jsonscan.Value]jsonscan.Value{"1500": "1.5", "0": "0", "-1": "", `"1"`: "", "": ""} {
		require.Equal(t, want, Seconds(ms), ms)
	}
}

func FuzzBody(f *testing.F) {
	for _, text := range []string{
		`{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"T","tool_use_id":"u","tool_input":{},"duration_ms":1}`,
		`{"session_id":"x","hook_event_name":"PostToolUseFailure","tool_name":"mcp__a__b","error":"\u0065","is_interrupt":true}`,
		`{"conversation_id":"x","hook_event_name":"stop","status":null,"timestamp":"2026-11-22T10:09:55Z"}`,
		`{"sessionId":"x","timestamp":1,"toolArgs":"{}","toolResult":{"resultType":"success"}}`,
		"{\"hook_event_name\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := decode(string(text), Defaults{Session: "s", Event: "e"})
		if err != nil {
			return
		}
		require.NotEmpty(t, b.Event)
		require.True(t, json.Valid([]byte(b.Raw)), b.Raw)
		require.GreaterOrEqual(t, b.When(), int64(0))
		var d Events
		d.Begin(&b)
		a := d.Unknown().(*event.SelfReport)
		require.Equal(t, b.Raw, a.Raw)
		require.Equal(t, b.Event, a.Method)
	})
}
