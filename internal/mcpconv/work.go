package mcpconv

// Span name of a turn of an agent, from prompt to rest.
const SpanTurn = "agent.turn"

// Keys of what coding agents tell of their work.
const (
	EngineType       = "mcp.engine.type" // of mcp-agent, beside WorkflowEngine
	LLMCost          = "mcp.llm.cost_usd"
	LLMCostEstimated = "mcp.llm.cost_estimated" // that is from a price table
	ToolDecision     = "mcp.tool.decision"
	SessionSources   = "mcp.session.sources"
	SummaryInput     = "mcp.summary.input_tokens"
	SummaryOutput    = "mcp.summary.output_tokens"
	SummaryCached    = "mcp.summary.cache_read_tokens"
	SummaryWritten   = "mcp.summary.cache_write_tokens"
	SummaryReasoning = "mcp.summary.reasoning_tokens"
	SummaryCost      = "mcp.summary.cost_usd"
	SummaryEstimated = "mcp.summary.cost_estimated_usd" // the part of it that is from a price table
	SummaryPrices    = "mcp.summary.cost_source"        // and which
	SummaryTurns     = "mcp.summary.turns"
	SummaryRefusals  = "mcp.summary.refusals"
	WorkingDir       = "process.working_directory"
	Branch           = "vcs.ref.head.name"
)

// Keys of the semantic conventions for the tokens of a model call.
const (
	GenAIUsageInput         = "gen_ai.usage.input_tokens"
	GenAIUsageOutput        = "gen_ai.usage.output_tokens"
	GenAIUsageCacheRead     = "gen_ai.usage.cache_read.input_tokens"
	GenAIUsageCacheWrite    = "gen_ai.usage.cache_write.input_tokens"
	GenAIUsageCacheCreation = "gen_ai.usage.cache_creation.input_tokens" // the former name
	GenAIUsageReasoning     = "gen_ai.usage.reasoning.output_tokens"
)
