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
	EndGone     = "gone" // the agent's process does not run any more
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

// Notifications of MCP Events (SEP-3415 and the sketches before it). A gap has
// none of its own on the wire in every generation: it is called as its siblings.
const (
	EventsPrefix       = "notifications/events/"
	EventOccurred      = EventsPrefix + "event"
	EventsActive       = EventsPrefix + "active"
	EventsError        = EventsPrefix + "error"
	EventsGap          = EventsPrefix + "gap"
	EventsTerminated   = EventsPrefix + "terminated"
	EventsListChanged  = EventsPrefix + "list_changed"
	MethodEventsList   = "events/list"
	MethodEventsPoll   = "events/poll"
	MethodSubscribe    = "events/subscribe"
	MethodUnsubscribe  = "events/unsubscribe"
	NotificationInited = "notifications/initialized"
)

// Keys of events.
const (
	EventID           = "mcp.event.id"
	EventName         = "mcp.event.name"
	EventCursor       = "mcp.event.cursor"
	EventData         = "mcp.event.data_json"
	EventSubscription = "mcp.event.subscription_id"
	EventGeneration   = "mcp.event.generation"
	EventDelivery     = "mcp.event.delivery"
)

// HasSecret reports whether requests with that method, or their replies, carry the
// secret that webhooks are signed with.
func HasSecret(method string) bool { return method == MethodSubscribe }

// LogSessionState names the log record that has all that a row of a session shows.
// Of a session's records the one with the greatest [SessionEpoch], then
// [StateSequence], counts.
const LogSessionState = "mcp.session.state"

// Attributes of the state record, beside those that sessions' spans have.
const (
	StateName     = "mcp.session.state.name"
	StateSequence = "mcp.session.state.sequence"
	StateWriter   = "mcp.session.state.writer"

	SessionStarted = "mcp.session.start_time_unix_nano"
	SessionEnded   = "mcp.session.end_time_unix_nano"
	PhaseSince     = "mcp.host.phase_since_unix_nano"

	UnknownFrom  = "mcp.session.unknown_from"
	UnknownUntil = "mcp.session.unknown_until"

	WaitKind   = "mcp.wait.kind"
	WaitName   = "mcp.wait.name"
	WaitTool   = "mcp.wait.tool"
	WaitDetail = "mcp.wait.detail"
	WaitPrompt = "mcp.wait.prompt"
	WaitSpan   = "mcp.wait.span_id"
	WaitSince  = "mcp.wait.since_unix_nano"

	StallReason = "mcp.session.stalled.reason"
	StallDetail = "mcp.session.stalled.detail"
	StallSince  = "mcp.session.stalled.since_unix_nano"

	HostErrorText = "mcp.host.error.message"
	HostErrorAt   = "mcp.host.error.time_unix_nano"

	LastError = "mcp.session.last_error"

	OpenCalls     = "mcp.session.open_calls"
	OpenCallCount = "mcp.session.open_calls.count"
)

// Keys of one of the [OpenCalls].
const (
	OpenCallSpan    = "span_id"
	OpenCallTrace   = "trace_id"
	OpenCallName    = "name"
	OpenCallTarget  = "target"
	OpenCallDetail  = "detail"
	OpenCallStarted = "start_time_unix_nano"
	OpenCallStuck   = "stuck"
)

// Values of [StateName].
const (
	StateRunning = "running"
	StateIdle    = "idle"
	StateWaiting = "waiting"
	StateStalled = "stalled"
	StateFailed  = "failed"
	StateDone    = "done"
)

// Values of [WaitKind].
const (
	WaitApproval    = "approval"
	WaitQuestion    = "question"
	WaitElicitation = "elicitation"
	WaitSignal      = "signal"
)

// Values of [StallReason].
const (
	StallHost = "host_silent"
	StallCall = "call_stuck"
)

// SpanHook begins the names of notices that hooks of an agent host tell of; the
// event's name follows.
const SpanHook = "hook."

// ToolDuration is for how long a tool ran, without the time in which a person
// was asked.
const ToolDuration = "mcp.tool.duration_ms"
