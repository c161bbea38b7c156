package mcpconv

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
	NetworkVersion       = "network.protocol.version"
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
