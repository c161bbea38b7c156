package mcpreceiver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// TestLongOutputOfAPrompt: 30 KB of an agent's text are kept in whole characters, and what
// is cut says so.
func TestLongOutputOfAPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		chunk string
		n     int
		want  string
		cut   bool
	}{
		"fits":               {strings.Repeat("x", 1024), 30, strings.Repeat("x", 30<<10), false},
		"too long":           {strings.Repeat("x", 1024), 31, strings.Repeat("x", 30<<10), true},
		"one byte":           {strings.Repeat("x", 30<<10+1), 1, strings.Repeat("x", 30<<10), true},
		"within a character": {strings.Repeat("x", 30<<10-1) + "ä", 1, strings.Repeat("x", 30<<10-1), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := rowFixture(t)
				record := `{"connection":"c","protocol":"acp","direction":%q,"message":{"jsonrpc":"2.0",%s}}` + "\n"
				body := fmt.Sprintf(record, "client_to_server", `"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}`)
				body += strings.Repeat(fmt.Sprintf(record, "server_to_client",
					`"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+c.chunk+`"}}}`), c.n)
				body += fmt.Sprintf(record, "server_to_client", `"id":1,"result":{"stopReason":"end_turn"}`)
				f.post(t, 0, step{Post: "/v1/observations", Body: body})
				for _, span := range spansOf(f.sink.traces) {
					if span.Name() != mcpconv.SpanAgent {
						continue
					}
					var got string
					require.NoError(t, json.Unmarshal([]byte(textOf(span, mcpconv.WorkflowOutput)), &got))
					require.Equal(t, c.want, got)
					_, cut := span.Attributes().Get("mcp.workflow.output_json_truncated")
					require.Equal(t, c.cut, cut)
					return
				}
				require.Fail(t, "no span of the prompt")
			})
		})
	}
}
