package mcpconv

import (
	"strings"
)

// Keys that every span of a session carries.
const (
	SessionID    = "session.id"
	MCPSessionID = "mcp.session.id"
	StatusCode   = "mcp.status.code"
	ErrorCode    = "mcp.error.code"
	ErrorMessage = "mcp.error.message"
	Invalid      = "mcp.message.invalid"
	MessageBytes = "mcp.message.bytes"
	Incomplete   = "mcp.span.incomplete"
	RequestID    = "mcp.request_id"
	NoticeParams = "mcp.notification.params_json"

	// TruncatedSuffix makes the key of the flag of an attribute that was cut.
	TruncatedSuffix = "_truncated"
	BodyTruncated   = "body" + TruncatedSuffix // of a log record's body

	// The ids with which a root arrived whose trace was joined to another.
	OriginalTrace = "mcp.stitch.original_trace_id"
	OriginalSpan  = "mcp.stitch.original_span_id"
)

// Keys of calls.
const (
	JSONRPCVersion   = "mcp.jsonrpc.version"
	RPCMethod        = "mcp.rpc.method"
	RPCID            = "mcp.rpc.id"
	RPCDuration      = "mcp.rpc.duration_ms"
	RPCTransport     = "mcp.rpc.transport"
	RPCDirection     = "mcp.rpc.direction"
	RPCServerURI     = "mcp.rpc.server_uri"
	RPCRequest       = "mcp.rpc.request_json"
	RPCResponse      = "mcp.rpc.response_json"
	ProgressToken    = "mcp.progress.token"
	Progress         = "mcp.progress.progress"
	ProgressTotal    = "mcp.progress.total"
	ProgressMessage  = "mcp.progress.message"
	ProgressPercent  = "mcp.progress.percent"
	Cancellation     = "mcp.cancellation.requested"
	ToolName         = "mcp.tool.name"
	ToolInput        = "mcp.tool.input_json"
	ToolOutput       = "mcp.tool.output_json"
	ToolStructured   = "mcp.tool.structured_output_json"
	ResourceURI      = "mcp.resource.uri"
	ResourceMimeType = "mcp.resource.mime_type"
	ResourceBytes    = "mcp.resource.bytes"
	PromptTemplate   = "mcp.prompt.template_id"
	PromptParameters = "mcp.prompt.parameters_json"
	LLMPrompt        = "mcp.llm.prompt_json"
	LLMSystemPrompt  = "mcp.llm.system_prompt"
	LLMResponse      = "mcp.llm.response_json"
	LLMModel         = "mcp.llm.model"
	LLMProvider      = "mcp.llm.provider"
	StopReason       = "mcp.stop_reason"
	ModelPreferences = "mcp.model.preferences_json"
	SignalName       = "mcp.signal.name"
	SignalPrompt     = "mcp.signal.prompt"
	SignalSchema     = "mcp.signal.schema_json"
	SignalAction     = "mcp.signal.action"
	TaskID           = "mcp.task.id"
	TaskStatus       = "mcp.task.status"
	ToolTitle        = "mcp.tool.title"
	ToolStatus       = "mcp.tool.status"
	ToolKind         = "mcp.tool.kind"
	ToolCallID       = "mcp.tool.call_id"
	InBand           = "mcp.in_band"
	WorkflowInput    = "mcp.workflow.input_json"
	WorkflowOutput   = "mcp.workflow.output_json"
	StatePlan        = "mcp.state.plan_json"
	LogLevel         = "mcp.log.level"
	LogLogger        = "mcp.log.logger"
	LogMessage       = "mcp.log.message"
	LogData          = "mcp.log.data_json"
	LogDeclared      = "mcp.log.declared"
	LogScope         = "mcp.log.scope"
	Connection       = "mcp.connection"
)

// Keys of reminders.
const (
	ReminderID         = "mcp.reminder.id"
	ReminderBody       = "mcp.reminder.body"
	ReminderTags       = "mcp.reminder.tags"
	ReminderDedupeKey  = "mcp.reminder.dedupe_key"
	ReminderTTLTurns   = "mcp.reminder.ttl_turns"
	ReminderPreserve   = "mcp.reminder.preserve_on_compact"
	ReminderPropagate  = "mcp.reminder.propagate"
	ReminderRoleHint   = "mcp.reminder.role_hint"
	ReminderFiredAt    = "mcp.reminder.fired_at_turn"
	ReminderReplaces   = "mcp.reminder.replaces"
	ReminderIsDeclared = "mcp.reminder.declared"
)

// Keys of agent hosts.
const (
	HostID           = "mcp.host.id" // one for each process of an agent host
	HostPhase        = "mcp.host.phase"
	HostTokensUsed   = "mcp.host.tokens.used"
	HostTokensLimit  = "mcp.host.tokens.limit"
	HostTokensShare  = "mcp.host.tokens.percent"
	HostThreshold    = "mcp.host.tokens.threshold"
	HostToolCalls    = "mcp.host.tool_calls.total"
	HostElapsed      = "mcp.host.elapsed_seconds"
	HostTask         = "mcp.host.current_task"
	HostFiles        = "mcp.host.files_active"
	HostSubagents    = "mcp.host.subagents"
	HostSource       = "mcp.host.source"
	HostTokensBefore = "mcp.host.compaction.tokens_before"
	HostTokensAfter  = "mcp.host.compaction.tokens_after"
	HostDropped      = "mcp.host.compaction.messages_dropped"
	HostReason       = "mcp.host.compaction.reason"
	HostErrorType    = "mcp.host.error.type"
	HostRetrying     = "mcp.host.error.retrying"
	HostRetryCount   = "mcp.host.error.retry_count"
	Silence          = "mcp.silent_ms"
	AgentName        = "mcp.agent.name"
	AgentID          = "mcp.agent.id"
	AgentTask        = "mcp.agent.task"
	AgentModel       = "mcp.agent.model"
	AgentOutcome     = "mcp.agent.outcome"
	AgentDuration    = "mcp.agent.duration_seconds"
	AgentTokens      = "mcp.agent.tokens.used"
)

// Keys of sessions.
const (
	WorkflowType     = "mcp.workflow.type"
	WorkflowEngine   = "mcp.workflow.engine"
	SessionTitle     = "mcp.session.title"
	SessionEndReason = "mcp.session.end_reason"
	SessionEpoch     = "mcp.session.epoch"
	ClientName       = "mcp.client.name"
	ClientVersion    = "mcp.client.version"
	ToolSeenBy       = "mcp.tool.seen_by" // of metrics: [SeenByWire] or [SeenByAgent]
	ServerName       = "mcp.server.name"
	ServerVersion    = "mcp.server.version"
	TransportStatus  = "mcp.transport.status"
	ReconnectCount   = "mcp.transport.reconnect_count"
	ExitCode         = "process.exit.code"
	SessionPartOf    = "mcp.session.part_of" // id of the session that this one is part of
	SessionDerived   = "mcp.session.derived"
	SessionPaused    = "mcp.session.paused"
	HeartbeatLLM     = "mcp.heartbeat.llm_calls_delta"
	HeartbeatTokens  = "mcp.heartbeat.tokens_delta"
	HeartbeatTools   = "mcp.heartbeat.tool_calls_delta"
	SummaryLLM       = "mcp.summary.llm_calls"
	SummaryTokens    = "mcp.summary.tokens"
	SummaryTools     = "mcp.summary.tool_calls"
	SummaryResources = "mcp.summary.resources"
	SummaryPrompts   = "mcp.summary.prompts"
	SummaryAgents    = "mcp.summary.agents"
	SummaryNotices   = "mcp.summary.notices"
	SummaryErrors    = "mcp.summary.errors"
	SummaryWaiting   = "mcp.summary.waiting_ms"
)

// Keys of the semantic conventions.
const (
	ServiceName         = "service.name"
	PeerService         = "peer.service"
	MethodName          = "mcp.method.name"
	ProtocolVersion     = "mcp.protocol.version"
	JSONRPCRequestID    = "jsonrpc.request.id"
	JSONRPCProtocol     = "jsonrpc.protocol.version"
	ErrorType           = "error.type"
	RPCStatusCode       = "rpc.response.status_code"
	NetworkTransport    = "network.transport"
	NetworkProtocol     = "network.protocol.name"
	ServerAddress       = "server.address"
	ServerPort          = "server.port"
	HTTPStatus          = "http.response.status_code"
	TapDropped          = "mcp.tap.dropped" // records that a tap lost
	GenAIOperation      = "gen_ai.operation.name"
	GenAIConversation   = "gen_ai.conversation.id"
	GenAIAgentID        = "gen_ai.agent.id"
	GenAIAgentName      = "gen_ai.agent.name"
	GenAIToolName       = "gen_ai.tool.name"
	GenAIToolCallID     = "gen_ai.tool.call.id"
	GenAIToolArguments  = "gen_ai.tool.call.arguments"
	GenAIToolResult     = "gen_ai.tool.call.result"
	GenAIPromptName     = "gen_ai.prompt.name"
	GenAIWorkflow       = "gen_ai.workflow.name"
	GenAIRequestModel   = "gen_ai.request.model"
	GenAIResponseModel  = "gen_ai.response.model"
	GenAIFinishReasons  = "gen_ai.response.finish_reasons"
	GenAIInputMessages  = "gen_ai.input.messages"
	GenAIOutputMessages = "gen_ai.output.messages"
	GenAISystem         = "gen_ai.system_instructions"
)

// Names of peers of the Agent Client Protocol that do not say theirs.
const (
	ACPAgent  = "acp-agent"
	ACPClient = "acp-client"
)

// Metrics of sessions. Names, unit and buckets of the first are the semantic
// conventions' (MCP, Metric: mcp.client.operation.duration).
const (
	MetricDuration    = "mcp.client.operation.duration"
	MetricInFlight    = "mcp.calls.in_flight"
	MetricStuck       = "mcp.calls.stuck"
	MetricSessions    = "mcp.sessions.active"
	MetricStalled     = "mcp.sessions.stalled"
	MetricUtilization = "mcp.host.context.utilization"
	MetricTokens      = "mcp.session.tokens"
)

// Values of gen_ai.operation.name.
const (
	OperationTool     = "execute_tool"
	OperationWorkflow = "invoke_workflow"
	OperationChat     = "chat"
	OperationAgent    = "invoke_agent"
	operationEmbed    = "embeddings"
	operationGenerate = "generate_content"
	operationComplete = "text_completion"
	operationCreate   = "create_agent"
	operationRetrieve = "retrieval"
	operationPlan     = "plan"
)

// Values of [ToolSeenBy]: the message was seen, or the agent reported the call.
const (
	SeenByWire  = "wire"
	SeenByAgent = "agent"
)

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
	TurnPrompt       = "mcp.turn.prompt"
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
	FactLate         = "mcp.fact.late"    // what it is about became known when others of its time were forgotten: it may have counted before
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

// Network returns how messages of a transport travel in the words of the semantic conventions:
// network.transport and network.protocol.name, "" for what is not known.
func Network(carrier string) (transport, protocol string) {
	switch carrier {
	case "stdio":
		return "pipe", ""
	case "http", "sse", "streamable_http":
		return "tcp", "http"
	case "websocket":
		return "tcp", "websocket"
	}
	return "", ""
}

// What counters of tokens say of their kind.
const (
	GenAITokenModality = "gen_ai.token.modality"
	ModalityUnknown    = "unknown" // agents do not tell texts from images
)

// payload lists the keys that hold what people, models and tools said, beside
// those that end in _json. They are written only with capture.payloads.
var payload = map[string]bool{
	ErrorMessage: true, SessionTitle: true, HostTask: true, AgentTask: true, HostFiles: true,
	ReminderBody: true, LogMessage: true, ToolTitle: true, LLMSystemPrompt: true, SignalPrompt: true, ProgressMessage: true,
	GenAIToolArguments: true, GenAIToolResult: true, GenAIInputMessages: true, GenAIOutputMessages: true,
	WaitDetail: true, WaitPrompt: true, TurnPrompt: true, LastError: true, HostErrorText: true,
	GenAISystem: true, DialectStatusMessage: true, WorkingDir: true, Branch: true,
}

// IsPayload tells whether the attribute is payload: what may hold secrets, as
// opposed to names, sizes, times and codes.
func IsPayload(key string) bool { return strings.HasSuffix(key, "_json") || payload[key] }

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

// Levels are the severities of log messages by name, the least first from 1 on
// (RFC 5424, section 6.2.1).
var Levels = map[string]uint8{
	"debug": 1, "info": 2, "notice": 3, "warning": 4, "error": 5, "critical": 6, "alert": 7, "emergency": 8,
}
