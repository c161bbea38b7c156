package jsonrpc

import (
	"testing"

	"github.com/stretchr/testify/require"

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
		Raw: Value(text), Event: "PostToolUse", Session: `"s"`, Tool: `"T"`, ToolID: `"a/b"`, Input: `{"a":1}`,
		Output: `[1]`, Duration: "1.5", Server: `"m"`, AgentID: `"g"`,
	}, h)
}

func TestHooksThatCannotBeTaken(t *testing.T) {
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
