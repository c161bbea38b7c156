package mcpconv

import "slices"

// The coding agents, as the service names of their sessions call them.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	GeminiCLI  = "gemini-cli"
	Copilot    = "copilot"
	Cursor     = "cursor"
	OpenCode   = "opencode"
)

// codingAgents are all coding agents that are known, with the names that they give
// themselves as clients of MCP servers (clientInfo.name).
var codingAgents = []struct {
	name    string
	clients []string
	// namesSession: with each call it says which of its sessions that is part of.
	namesSession bool
}{
	{ClaudeCode, []string{"claude-code"}, true},
	{Codex, []string{"codex-mcp-client"}, true},
	{GeminiCLI, []string{"gemini-cli-mcp-client"}, false},
	{Copilot, []string{"copilot-cli", "github-copilot-developer"}, false},
	{Cursor, []string{"cursor-vscode"}, false},
	{OpenCode, []string{"opencode"}, false},
}

// IsCodingAgent reports whether that is the name of a known coding agent.
func IsCodingAgent(name string) bool {
	for i := range codingAgents {
		if codingAgents[i].name == name {
			return true
		}
	}
	return false
}

// AgentOfClient is the coding agent that calls itself so as a client of MCP servers,
// "" if none is known to.
func AgentOfClient(client string) string {
	agent, _ := ofClient(client)
	return agent
}

// NamesItsSession reports whether that client says with each call which session of an
// agent it is part of: what it opens besides is none of its own.
func NamesItsSession(client string) bool {
	_, names := ofClient(client)
	return names
}

func ofClient(client string) (agent string, namesSession bool) {
	for i := range codingAgents {
		if slices.Contains(codingAgents[i].clients, client) {
			return codingAgents[i].name, codingAgents[i].namesSession
		}
	}
	return "", false
}
