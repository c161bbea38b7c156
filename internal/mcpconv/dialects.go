package mcpconv

import (
	"slices"
)

// Keys of what the normalizer reports of a span or log record that it read.
const (
	// Dialect names the dialect that was read. What has it is not read again.
	Dialect = "mcp.dialect"
	// DialectRepeats says what a span repeats of others, so that it is not counted
	// twice: [RepeatsUsage], [RepeatsTools] or [RepeatsCall].
	DialectRepeats = "mcp.dialect.repeats"
	// What a span had before it was changed: its name, kind, types of error and tool,
	// status and the text of its status.
	DialectSpanName      = "mcp.dialect.span_name"
	DialectKind          = "mcp.dialect.kind"
	DialectErrorType     = "mcp.dialect.error_type"
	DialectToolType      = "mcp.dialect.tool_type"
	DialectStatus        = "mcp.dialect.status"
	DialectStatusMessage = "mcp.dialect.status_message"
)

// Values of [DialectRepeats].
const (
	RepeatsUsage = "usage" // the tokens of the model calls in it
	RepeatsTools = "tools" // several tool calls that have spans of their own
	RepeatsCall  = "call"  // one call that has a span of its own
)

// GenAISchema is the version of the conventions that normalized spans keep to
// (https://github.com/open-telemetry/semantic-conventions-genai).
const GenAISchema = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

// Keys of the semantic conventions that only dialects are translated to.
const (
	UserID               = "user.id"
	GenAIToolDescription = "gen_ai.tool.description"
	GenAIToolDefinitions = "gen_ai.tool.definitions"
	GenAIAgentAbout      = "gen_ai.agent.description"
	GenAIFirstChunk      = "gen_ai.response.time_to_first_chunk"
	GenAIMaxTokens       = "gen_ai.request.max_tokens"
	GenAITemperature     = "gen_ai.request.temperature"
	GenAITopP            = "gen_ai.request.top_p"
)

// Values of gen_ai.operation.name that only dialects are translated to.
const (
	OperationEmbed    = operationEmbed
	OperationGenerate = operationGenerate
	OperationComplete = operationComplete
	OperationCreate   = operationCreate
	OperationRetrieve = operationRetrieve
)

// ClientFault reports whether a code of JSON-RPC says that the client was at fault.
// The span of the server is then no error (semantic conventions, MCP server span).
func ClientFault(code string) bool {
	switch code {
	case "-32700", "-32600", "-32601", "-32602", "-32002":
		return true
	}
	return false
}

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

// Values of [SessionSources]: what reported the session.
const (
	SourceHooks     = "hooks"
	SourceLogs      = "otlp_logs"
	SourceSpans     = "otlp_spans"
	SourceTap       = "tap"
	SourceMCP       = "mcp"
	SourcePush      = "push"
	SourceInspector = "inspector"
)
