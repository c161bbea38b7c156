package mcpconv

// SpanHook begins the names of notices that hooks of an agent host tell of; the
// event's name follows.
const SpanHook = "hook."

// ClaudeCode names the sender, since the hooks do not.
const ClaudeCode = "claude-code"

// NamesItsSession reports whether that client says with each call which session of an
// agent it is part of: what it opens besides is none of its own.
func NamesItsSession(client string) bool {
	return client == ClaudeCode || client == codexClient
}

// codexClient is what Codex calls itself as a client of MCP servers.
const codexClient = "codex-mcp-client"

// ToolDuration is for how long a tool ran, without the time in which a person
// was asked.
const ToolDuration = "mcp.tool.duration_ms"
