// Package jsonrpc reads JSON-RPC messages: bytes to [Message], in one pass over
// the bytes. It holds no state and knows no telemetry.
//
// Everything it hands out aliases the body it read; what is to be kept must be
// cloned.
package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Cut is the longest prefix of whole characters that fits the limit, in bytes.
func Cut(s string, limit int) string { return jsonscan.Cut(s, limit) }

// Value is the text of one JSON value.
type Value = jsonscan.Value

// Kind tells what a message is.
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
	Raw     Value  // the whole message as sent
	ID      Value  // with its JSON type: 1 or "1"
	Method  string // of requests and notifications
	Version string // the jsonrpc member
	Params  Params
	Result  Result
	Error   Error
	Invalid string // what breaks the schema without making the message useless
}

// Params are the members of params that any method's telemetry needs.
type Params struct {
	Raw             Value
	Name            Value
	Arguments       Value
	URI             Value
	Messages        Value
	SystemPrompt    Value
	Preferences     Value // modelPreferences
	Message         Value
	Schema          Value // requestedSchema
	ProgressToken   Value
	Progress        Value
	Total           Value
	RequestID       Value
	Reason          Value
	Level           Value
	Logger          Value
	Data            Value
	SessionID       Value
	EventID         Value
	ReminderID      Value
	Update          Value // of ACP's session/update
	Prompt          Value // of ACP's session/prompt
	ToolCall        Value // of ACP's session/request_permission
	Options         Value // likewise
	TaskID          Value
	Status          Value // of a task
	StatusMessage   Value // likewise
	Result          Value // of a task that is done (SEP-2663)
	Error           Value // likewise
	RequestState    Value // of a request that goes on (2026-07-28)
	InputResponses  Value // likewise
	ResourceSpans   Value // of notifications/otel/trace
	Timestamp       Value
	ProtocolVersion Value
	Capabilities    Value // the client's
	Client          Implementation
	Host            Host
	Meta            Meta
}

// Host are the members of notifications/host.heartbeat, and what only the tools
// for it have.
type Host struct {
	Phase          Value
	TokensUsed     Value
	TokensLimit    Value
	ToolCallsTotal Value
	ElapsedSeconds Value
	CurrentTask    Value
	FilesActive    Value
	Subagents      Value
}

// Meta are the members of params._meta and result._meta that are read.
type Meta struct {
	ProgressToken   Value
	Traceparent     Value // SEP-414
	Tracestate      Value
	RequestID       Value // "mcp.request_id"
	RequestIDAlias  Value // "requestId"
	ProtocolVersion Value
	Capabilities    Value // the client's
	LogLevel        Value
	Reminder        Value // harn.reminder
	ResourceSpans   Value // otel.traces.resourceSpans, OTLP in JSON (SEP-2448)
	Client          Implementation
	Server          Implementation
}

// Implementation names a client or server (clientInfo, serverInfo).
type Implementation struct {
	Name    Value
	Version Value
}

// Result are the members of result that any method's telemetry needs.
type Result struct {
	Raw             Value
	Content         Value
	FirstText       Value // of Content
	IsError         Value
	Structured      Value
	MimeType        Value // of the first of contents
	Bytes           int64 // of all contents, decoded
	Role            Value
	Model           Value
	StopReason      Value
	Action          Value
	Type            Value // resultType (2026-07-28)
	RequestState    Value // of a result that asks for input (2026-07-28)
	InputRequests   Value // likewise
	Task            Value // that was made instead of a result
	TaskID          Value // of the task that the result is about
	Status          Value // of that task
	StatusMessage   Value // likewise
	Inner           Value // the result of a task that is done (SEP-2663)
	InnerError      Value // likewise
	TTL             Value // of that task, in ms
	Outcome         Value // of ACP's permission
	SessionID       Value // of ACP's session/new
	ProtocolVersion Value
	Capabilities    Value // the server's
	Server          Implementation
	Meta            Meta
}

// Error is a JSON-RPC error object.
type Error struct {
	Raw     Value
	Code    int64
	Message Value
}

// Present tells whether the response is an error.
func (e *Error) Present() bool { return e.Raw != "" && !e.Raw.IsNull() }
