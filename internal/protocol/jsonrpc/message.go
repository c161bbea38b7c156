package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Kind classifies messages.
type Kind uint8

// The kinds of JSON-RPC 2.0 messages (specification, sections 4 and 5).
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message. Absent members are empty.
type Message struct {
	Kind    Kind
	Raw     jsonscan.Value // the whole message as sent
	ID      jsonscan.Value // with its JSON type: 1 or "1"
	Method  string         // of requests and notifications
	Version string         // the jsonrpc member
	Params  Params
	Result  Result
	Error   Error
	Invalid string // what breaks the schema without making the message useless

	hasParams, hasResult bool // they are not zero
}

// Params are the members of params that any method's telemetry needs.
type Params struct {
	Raw         jsonscan.Value
	Name        jsonscan.Value
	Arguments   jsonscan.Value
	URI         jsonscan.Value
	Message     jsonscan.Value
	Schema      jsonscan.Value // requestedSchema
	RequestID   jsonscan.Value
	Reason      jsonscan.Value
	SessionID   jsonscan.Value
	EventID     jsonscan.Value
	ReminderID  jsonscan.Value
	Timestamp   jsonscan.Value
	InBandSpans jsonscan.Value // resourceSpans of notifications/otel/trace

	ProtocolVersion jsonscan.Value
	Capabilities    jsonscan.Value // the client's
	Client          Implementation

	SamplingParams
	ProgressParams
	LogParams
	ACPParams
	TaskParams
	RoundParams
	Host Host
	Meta Meta
}

// SamplingParams are the members of sampling/createMessage.
type SamplingParams struct {
	Messages     jsonscan.Value
	SystemPrompt jsonscan.Value
	Preferences  jsonscan.Value // modelPreferences
}

// ProgressParams are the members of notifications/progress.
type ProgressParams struct {
	ProgressToken jsonscan.Value
	Progress      jsonscan.Value
	Total         jsonscan.Value
}

// LogParams are the members of log messages.
type LogParams struct {
	Level  jsonscan.Value
	Logger jsonscan.Value
	Data   jsonscan.Value
}

// ACPParams are members that only methods of the Agent Client Protocol have.
type ACPParams struct {
	Update   jsonscan.Value // of session/update
	Prompt   jsonscan.Value // of session/prompt
	ToolCall jsonscan.Value // of session/request_permission
	Options  jsonscan.Value // likewise
}

// TaskParams hold what requests and notifications say of a task.
type TaskParams struct {
	TaskID        jsonscan.Value
	Status        jsonscan.Value
	StatusMessage jsonscan.Value
	Result        jsonscan.Value // of a task that is done (SEP-2663)
	Error         jsonscan.Value // likewise
}

// RoundParams are the members of a request that goes on (2026-07-28).
type RoundParams struct {
	RequestState   jsonscan.Value
	InputResponses jsonscan.Value
}

// Host are the members of notifications/host.heartbeat, and what only the tools
// for it have.
type Host struct {
	Phase          jsonscan.Value
	TokensUsed     jsonscan.Value
	TokensLimit    jsonscan.Value
	ToolCallsTotal jsonscan.Value
	ElapsedSeconds jsonscan.Value
	CurrentTask    jsonscan.Value
	FilesActive    jsonscan.Value
	Subagents      jsonscan.Value
}

// Meta are the members of params._meta and result._meta that are read.
type Meta struct {
	ProgressToken   jsonscan.Value
	Traceparent     jsonscan.Value // SEP-414
	Tracestate      jsonscan.Value
	RequestID       jsonscan.Value // "mcp.request_id"
	RequestIDAlias  jsonscan.Value // "requestId"
	ProtocolVersion jsonscan.Value
	Capabilities    jsonscan.Value // the client's
	LogLevel        jsonscan.Value
	Reminder        jsonscan.Value // harn.reminder
	ToolUse         jsonscan.Value // "claudecode/toolUseId", Codex's "callId"
	Thread          jsonscan.Value // Codex's "threadId", which its hooks and telemetry call the session
	ResourceSpans   jsonscan.Value // otel.traces.resourceSpans, OTLP in JSON (SEP-2448)
	Client          Implementation
	Server          Implementation
}

// Implementation names a client or server (clientInfo, serverInfo).
type Implementation struct {
	Name    jsonscan.Value
	Version jsonscan.Value
}

// Result are the members of result that any method's telemetry needs.
type Result struct {
	Raw        jsonscan.Value
	Content    jsonscan.Value
	FirstText  jsonscan.Value // of Content
	IsError    jsonscan.Value
	Structured jsonscan.Value
	MimeType   jsonscan.Value // of the first of contents
	Bytes      int64          // of all contents, decoded
	Role       jsonscan.Value
	Model      jsonscan.Value
	StopReason jsonscan.Value
	Action     jsonscan.Value
	Outcome    jsonscan.Value // of ACP's permission
	SessionID  jsonscan.Value // of ACP's session/new
	Events     jsonscan.Value // of events/poll
	Results    jsonscan.Value // likewise, in its first draft
	Listed     string         // the member that holds a list of roots, tools, resources, prompts or messages

	ProtocolVersion jsonscan.Value
	Capabilities    jsonscan.Value // the server's
	Server          Implementation

	RoundResult
	TaskResult
	Meta Meta
}

// RoundResult are the members of a result that asks for input (2026-07-28).
type RoundResult struct {
	Type          jsonscan.Value // resultType
	RequestState  jsonscan.Value
	InputRequests jsonscan.Value
}

// TaskResult holds what a result says of a task.
type TaskResult struct {
	Task          jsonscan.Value // that was made instead of a result
	TaskID        jsonscan.Value // of the task that the result is about
	Status        jsonscan.Value
	StatusMessage jsonscan.Value
	Inner         jsonscan.Value // the result of a task that is done (SEP-2663)
	InnerError    jsonscan.Value // likewise
	TTL           jsonscan.Value // ms
}

// Error is a JSON-RPC error object.
type Error struct {
	Raw     jsonscan.Value
	Code    int64
	HasCode bool // Code is an integer of the message
	Message jsonscan.Value
}

// Present reports whether the response is an error.
func (e *Error) Present() bool { return e.Raw != "" && !e.Raw.IsNull() }
