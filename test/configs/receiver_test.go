package configs

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// conversation is a session in which a tool is called and a model is asked, with a log message.
const conversation = `
{"time":"2026-02-19T16:00:00Z","session":"s-1","server":"weather","direction":"client_to_server","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{"city":"Oslo"}}}}
{"time":"2026-02-19T16:00:01Z","session":"s-1","server":"weather","direction":"server_to_client","message":{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"rain?"}}]}}}
{"time":"2026-02-19T16:00:02Z","session":"s-1","server":"weather","direction":"client_to_server","message":{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m"}}}
{"time":"2026-02-19T16:00:03Z","session":"s-1","server":"weather","direction":"server_to_client","message":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"no signal"}}}
{"time":"2026-02-19T16:00:04Z","session":"s-1","server":"weather","direction":"server_to_client","message":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"rain"}]}}}
{"time":"2026-02-19T16:00:05Z","session":"s-1","end":{}}
`

func sendConversation(t *testing.T, p ports) {
	t.Helper()
	resp, err := http.Post("http://"+p.mcp+"/v1/observations", "application/x-ndjson", strings.NewReader(conversation))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusAccepted, resp.StatusCode)
}

// calls are the spans of the conversation's two calls, by the operation of GenAI.
func (b *backend) calls(t *testing.T) map[string]ptrace.Span {
	t.Helper()
	found := map[string]ptrace.Span{}
	require.Eventually(t, func() bool {
		for _, span := range b.received() {
			found[str(span.Attributes(), "gen_ai.operation.name")] = span
		}
		return found["execute_tool"] != (ptrace.Span{}) && found["chat"] != (ptrace.Span{})
	}, 30*time.Second, 50*time.Millisecond)
	return found
}

// TestSpanNames: backends that list spans by name tell one tool from another.
func TestSpanNames(t *testing.T) {
	for name, variable := range map[string]string{"jaeger": "JAEGER_ENDPOINT", "tempo": "TEMPO_ENDPOINT"} {
		t.Run(name, func(t *testing.T) {
			b, endpoint := startBackend(t)
			p := start(t, []string{variable + "=" + endpoint}, "--config", "embedded:"+name)
			sendConversation(t, p)
			calls := b.calls(t)
			assert.Equal(t, "tools/call forecast", calls["execute_tool"].Name())
			assert.Equal(t, "sampling/createMessage", calls["chat"].Name())
		})
	}
}

// TestGenAIPayloads: what the GenAI view of Jaeger shows has the keys that it reads, besides our own.
func TestGenAIPayloads(t *testing.T) {
	b, endpoint := startBackend(t)
	p := start(t, []string{"JAEGER_ENDPOINT=" + endpoint}, "--config", "embedded:jaeger")
	sendConversation(t, p)
	calls := b.calls(t)
	tool, chat := calls["execute_tool"].Attributes(), calls["chat"].Attributes()
	assert.Equal(t, `{"city":"Oslo"}`, str(tool, "gen_ai.tool.call.arguments"))
	assert.Equal(t, `{"city":"Oslo"}`, str(tool, "mcp.tool.input_json"))
	assert.Contains(t, str(tool, "gen_ai.tool.call.result"), "rain")
	assert.JSONEq(t, `[{"role":"user","parts":[{"type":"text","content":"rain?"}]}]`, str(chat, "gen_ai.input.messages"))
	assert.JSONEq(t, `[{"role":"assistant","parts":[{"type":"text","content":"yes"}]}]`, str(chat, "gen_ai.output.messages"))
}
