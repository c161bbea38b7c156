// Package mcpconv holds names: span names, attribute keys, methods, error
// codes and which attributes are payload. The mcp.* keys are those of the
// mcp-agent Inspector's telemetry specification and our own in its manner; the
// others are OpenTelemetry semantic conventions (MCP and GenAI, v1.41.1).
package mcpconv

// Span names of the Inspector.
const (
	SpanWorkflow = "workflow.run"
	SpanTool     = "tool.call"
	SpanLLM      = "llm.generate"
	SpanResource = "resource.fetch"
	SpanPrompt   = "prompt.apply"
	SpanSummary  = "session.summary"
)

// Span names of our own.
const (
	SpanSessionStart = "session.start"
	SpanSignalStart  = "signal.start"
	SpanSignalWait   = "signal.wait"
	SpanProgress     = "progress.update"
	SpanTransport    = "transport.status"
	SpanOrphan       = "rpc.orphan_reply"
	SpanInspector    = "inspector." // and the event's type
	SpanAgent        = "agent.call"
	SpanAgentStart   = "agent.start"
	SpanPhase        = "host.phase"
	SpanHostStalled  = "mcp.host.stalled"
	SpanHostResumed  = "mcp.host.resumed"
	SpanHostUnknown  = "mcp.host.unknown"
	SpanCallStuck    = "mcp.call.stuck"
	SpanCallReturned = "mcp.call.returned"
	EventProgress    = "progress"  // a span event
	EventSpawned     = "spawned"   // likewise, of a sub-agent
	EventCompleted   = "completed" // likewise
)

// Event names of log records that no span is named like.
const (
	LogCallStart  = "call.start"
	LogTurnStart  = "turn.start"
	LogPhaseStart = "phase.start"
	LogSessionEnd = "session.end"
)

// Values of mcp.error.code.
const (
	CodeUnknownTool   = "UNKNOWN_TOOL"
	CodeInvalidParams = "INVALID_PARAMS"
	CodeTimeout       = "TIMEOUT"
	CodeCancelled     = "CANCELLED"
	CodeServerError   = "SERVER_ERROR"
)

// Values of error.type that are not a JSON-RPC code.
const (
	TypeToolError = "tool_error"
	TypeTimeout   = "timeout"
	TypeCancelled = "cancelled"
	TypeOther     = "_OTHER"
)

// Values of mcp.session.end_reason.
const (
	EndFinished = "finished"
	EndClosed   = "closed"
	EndIdle     = "idle"
	EndStalled  = "stalled"
	EndEvicted  = "evicted"
	EndShutdown = "shutdown"
	EndMaxSpans = "max_spans"
)

// Values of mcp.workflow.type.
const (
	WorkflowHost    = "host_session"
	WorkflowACP     = "acp_session"
	WorkflowMCP     = "mcp_session"
	WorkflowUnknown = "unknown"
)

// Values of service.name of senders that do not name themselves.
const (
	ServiceClient = "mcp-client"
	ServiceServer = "mcp-server"
)

// ReceiverScope is the instrumentation scope of the spans that our receiver makes.
const ReceiverScope = "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"

// ToolErrorType is the type of the error of a tool that an agent reported. own is how the
// agent calls that the result says so (isError), for which the semantic conventions have
// [TypeToolError].
func ToolErrorType(kind, own string) string {
	if kind == own {
		return TypeToolError
	}
	return kind
}

// ToolType is gen_ai.tool.type of a tool that an agent reported: its own, or one of an MCP
// server.
func ToolType(own bool) string {
	if own {
		return ToolTypeFunction
	}
	return ToolTypeMCP
}
