package sessions

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBothSpanNames: the receiver names spans as an Inspector or as the semantic
// conventions do; what a session shows is the same.
func TestBothSpanNames(t *testing.T) {
	of := func(root, tool, model, resource, prompt, agent, wait string) (Row, []string) {
		b, _ := board(10)
		var kinds []string
		for _, give := range []item{
			span("s", "session.start", 2, 1, 0, 0),
			record("s", "call.start", 3, 1, "mcp.rpc.method", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "echo"),
			span("s", tool, 3, 1, 1, 2, "mcp.rpc.method", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "echo"),
			span("s", model, 4, 1, 2, 3, "mcp.rpc.method", "sampling/createMessage", "gen_ai.operation.name", "chat"),
			span("s", resource, 5, 1, 3, 4, "mcp.rpc.method", "resources/read", "mcp.resource.uri", "file:///a"),
			span("s", prompt, 6, 1, 4, 5, "mcp.rpc.method", "prompts/get", "gen_ai.prompt.name", "review", "mcp.prompt.template_id", "review"),
			span("s", agent, 7, 1, 5, 6, "gen_ai.operation.name", "invoke_agent"),
			span("s", "signal.start", 9, 8, 6, 6, "mcp.signal.name", "elicitation"),
			span("s", wait, 8, 1, 6, 7, "mcp.rpc.method", "elicitation/create", "mcp.signal.name", "elicitation"),
			span("s", root, 1, 0, 0, 8, "gen_ai.operation.name", "invoke_workflow", "mcp.session.end_reason", "closed"),
		} {
			kinds = append(kinds, kindsOf(give(b).Events)...)
		}
		page, err := b.List(Query{Limit: 1})
		require.NoError(t, err)
		require.Len(t, page.Sessions, 1)
		var row Row
		require.NoError(t, json.Unmarshal(page.Sessions[0], &row))
		return row, kinds
	}
	inspector, told := of("workflow.run", "tool.call", "llm.generate", "resource.fetch", "prompt.apply", "agent.call", "signal.wait")
	semconv, toldToo := of("invoke_workflow mcp_session", "tools/call echo", "sampling/createMessage", "resources/read", "prompts/get review", "invoke_agent reviewer", "elicitation/create")
	assert.Equal(t, told, toldToo)
	assert.Equal(t, []string{"SessionStarted", "ResourceFetched", "PromptUsed", "WaitingOnSignal", "SignalReceived", "SessionFinished"}, told)
	assert.Equal(t, inspector, semconv)
	assert.EqualValues(t, 1, semconv.ToolCalls)
	assert.EqualValues(t, 1, semconv.LLMCalls)
	assert.EqualValues(t, 1, semconv.Agents)
	assert.NotZero(t, semconv.EndedAt)
}
