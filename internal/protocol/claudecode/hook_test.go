package claudecode

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func decodeHook(text, session string) (h Hook, err error) {
	var c jsonscan.Cursor
	c.Reset([]byte(text))
	err = h.Decode(&c, session)
	return h, err
}

func TestHooks(t *testing.T) {
	text := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"T","tool_use_id":"a\/b","tool_input":{"a":1},` +
		`"tool_response":[1],"duration_ms":1.5,"mcp_server":{"source":"user","name":"m"},"agent_id":"g","other":{"tool_name":"x"}}`
	h, err := decodeHook(text, "")
	require.NoError(t, err)
	require.Equal(t, Hook{
		Raw: jsonscan.Value(text), Event: "PostToolUse", Session: `"s"`, Tool: `"T"`, ToolID: `"a/b"`, Input: `{"a":1}`,
		Output: `[1]`, Duration: "1.5", Server: `"m"`, AgentID: `"g"`,
	}, h)
}

func TestHooksThatCannotBeAccepted(t *testing.T) {
	for _, bad := range []struct {
		text string
		want error
	}{
		{`[]`, errNotObject},
		{`{"session_id":"s"}`, errNoEvent},
		{`{"session_id":"s","hook_event_name":1}`, errNoEvent},
		{`{"hook_event_name":"Stop"}`, errNoSession},
		{`{"session_id":1,"hook_event_name":"Stop"}`, errNoSession},
	} {
		_, err := decodeHook(bad.text, "")
		require.ErrorIs(t, err, bad.want, bad.text)
	}
	_, err := decodeHook(`{"hook_event_name":"Stop"`, "s")
	require.Error(t, err)
	h, err := decodeHook("{\"hook_event_name\":\"Stop\xff\"}", "s")
	require.NoError(t, err)
	require.True(t, h.Sanitized)
	require.Equal(t, "Stop\uFFFD", h.Event)
}

func FuzzHook(f *testing.F) {
	for _, text := range []string{
		`{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"T","tool_use_id":"u","tool_input":{},"duration_ms":1}`,
		`{"session_id":"x","hook_event_name":"PostToolUseFailure","tool_name":"mcp__a__b","error":"\u0065","is_interrupt":true}`,
		`{"session_id":"x","hook_event_name":"StopFailure","error":"rate_limit","error_details":"d","last_assistant_message":"l"}`,
		`{"hook_event_name":"Notification","notification_type":null,"mcp_server":{"name":"m"}}`,
		"{\"hook_event_name\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := decodeHook(string(body), "s")
		if err != nil {
			return
		}
		require.NotEmpty(t, h.Event)
		require.True(t, json.Valid([]byte(h.Raw)), h.Raw)
		var d Decoder
		n := d.Event(&h).(interface{ Base() *event.Notice }).Base()
		require.Equal(t, h.Raw, n.Raw)
		require.Equal(t, h.Event, n.Method)
	})
}
