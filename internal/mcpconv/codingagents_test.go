package mcpconv

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodingAgents(t *testing.T) {
	for client, want := range map[string]struct {
		agent string
		names bool
	}{
		"claude-code": {ClaudeCode, true}, "codex-mcp-client": {Codex, true}, "gemini-cli-mcp-client": {GeminiCLI, false},
		"copilot-cli": {Copilot, false}, "github-copilot-developer": {Copilot, false}, "cursor-vscode": {Cursor, false},
		"opencode": {OpenCode, false}, "codex": {}, "": {}, "Claude-Code": {}, "my-agent": {},
	} {
		assert.Equal(t, want.agent, AgentOfClient(client), client)
		assert.Equal(t, want.names, NamesItsSession(client), client)
	}
	for _, name := range []string{ClaudeCode, Codex, GeminiCLI, Copilot, Cursor, OpenCode} {
		assert.True(t, IsCodingAgent(name), name)
	}
	assert.False(t, IsCodingAgent("codex-mcp-client"))
	assert.False(t, IsCodingAgent(""))
	assert.Zero(t, testing.AllocsPerRun(10, func() { NamesItsSession("another") }))
}
