package mcpconv

// SpanServer is the name of the notice that the connection of an agent to an MCP
// server went up or down.
const SpanServer = "mcp.server.connection"

// SpanAmended is the name of the notice of what was reported of a call after its span
// had left, and AmendedSpan that span.
const (
	SpanAmended = "call.amended"
	AmendedSpan = "mcp.amended.span_id"
)

// Keys of what agents report of their work, beside those of their tokens.
const (
	ServerStatus     = "mcp.server.status"
	TurnIndex        = "mcp.turn.index"
	TurnID           = "mcp.turn.id"
	TurnTools        = "mcp.turn.tool_calls"
	TurnModels       = "mcp.turn.llm_calls"
	TurnInput        = "mcp.turn.input_tokens"
	TurnOutput       = "mcp.turn.output_tokens"
	TurnCached       = "mcp.turn.cache_read_tokens"
	TurnCost         = "mcp.turn.cost_usd"
	TurnEstimated    = "mcp.turn.cost_estimated_usd" // the part of it that is from a price table
	ToolDecider      = "mcp.tool.decision_source"
	ToolInputBytes   = "mcp.tool.input_bytes"
	ToolOutputBytes  = "mcp.tool.output_bytes"
	LLMFirstToken    = "mcp.llm.ttft_ms"
	LLMAttempt       = "mcp.llm.attempt"
	LLMPurpose       = "mcp.llm.query_source"
	LLMRequest       = "mcp.llm.request_id"
	HostEstimated    = "mcp.host.tokens.limit_estimated"
	DuplicateOf      = "mcp.duplicate_of" // the span under which the same left before
	AnnouncedAs      = "mcp.announced_as" // the span that the record of its start named, if it is another one
	GenAIResponseID  = "gen_ai.response.id"
	GenAIProvider    = "gen_ai.provider.name"
	GenAIToolType    = "gen_ai.tool.type"
	ToolTypeMCP      = "extension" // a tool of an MCP server
	ToolTypeFunction = "function"  // a tool of the agent itself
)

// Metrics of agents. Names and units are the semantic conventions' (GenAI), but for
// the cost.
const (
	MetricInference      = "gen_ai.client.inference.duration"
	MetricInferenceUsage = "gen_ai.client.inference.usage." // and the kind of tokens
	MetricExecuteTool    = "gen_ai.execute_tool.duration"
	MetricInvokeAgent    = "gen_ai.invoke_agent.duration"
	MetricClientSession  = "mcp.client.session.duration"
	MetricServerSession  = "mcp.server.session.duration"
	MetricServerDuration = "mcp.server.operation.duration"
	MetricCost           = "mcp.llm.cost"
)

// DialectOperation keeps an operation that the semantic conventions do not have.
const DialectOperation = "mcp.dialect.operation"

// IsModelCall reports whether a value of gen_ai.operation.name is that of a call of a
// model that answers.
func IsModelCall(operation string) bool {
	return operation == OperationChat || operation == operationGenerate || operation == operationComplete
}

// IsOperation reports whether the semantic conventions have that value of
// gen_ai.operation.name.
func IsOperation(name string) bool {
	switch name {
	case OperationTool, OperationWorkflow, OperationChat, OperationAgent, operationEmbed, operationGenerate, operationComplete,
		operationCreate, operationRetrieve, operationPlan,
		"search_memory", "create_memory", "update_memory", "upsert_memory", "delete_memory", "create_memory_store", "delete_memory_store",
		"fetch_response":
		return true
	}
	return false
}
