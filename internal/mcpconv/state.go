package mcpconv

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
	HostErrorTime = "mcp.host.error.time_unix_nano"

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
