package event

import (
	"context"
)

// CallKind classifies calls by what they do, whatever its method is called.
type CallKind uint8

// The kinds of calls. Their numbers are stored.
const (
	OtherCall       CallKind = 0
	ToolCall        CallKind = 1
	ResourceRead    CallKind = 2
	PromptGet       CallKind = 3
	ModelCall       CallKind = 4
	Elicitation     CallKind = 5 // a person is asked for input
	Permission      CallKind = 6 // a person is asked to allow something
	AgentPrompt     CallKind = 7 // an agent is asked to work
	LogLevelSetting CallKind = 8
	AgentTurn       CallKind = 9 // an agent works from a prompt until it rests, as it reports it
)

// CallStarted is a request of JSON-RPC.
type CallStarted struct {
	Contact
	Kind       CallKind
	ID         JSON // with its type: 1 or "1"
	FromClient bool
	Version    string // of JSON-RPC
	Invalid    string
	Raw        JSON // the whole message
	Trace      TraceMeta
	Token      JSON   // progress token
	RequestID  string // mcp.request_id
	Target     string // tool, prompt, level or URI
	Hint       string // the model that is preferred
	TaskID     string // that a tasks/… request is about
	Input      JSON   // arguments, messages, schema, options
	Text       string // system prompt, elicitation message, title
	Preference JSON   // model preferences
	About      string // the tool call that permission is asked for
	Use        JSON   // id that the agent gave its own call of the tool
	Thread     JSON   // id that the agent gave its session
	State      string // requestState of an earlier result that it continues
	Action     string // the client's answer to what that result asked
	Polled     JSON   // the subscriptions that a poll for events asks for, an array of objects of id and name; it aliases nothing
}

// CallEnded is a reply of JSON-RPC. Its Notice is what is recorded if no call
// with its id is open.
type CallEnded struct {
	Notice
	ID      JSON
	Reply   Reply
	Task    Task // that the reply reports: as the call's result, or as the answer to a poll
	Created bool // Task stands for the result
	Poll    Task // as Task, but only as the answer to a poll: not one in a member of its own
	Input   *InputRequired
	Seen    []EventSeen // events, if the result is that of a poll for some
	Fault   string      // what an error says of the subscriptions if the request was a poll: a method of MCP Events
	Session string      // that the reply to session/new names
	Agreed  bool        // the reply names a protocol revision
}

// Reply is the outcome of a call as it was sent.
type Reply struct {
	Raw    JSON   // the whole message
	Failed bool   // it is an error of JSON-RPC
	Code   int64  // of the error
	Coded  bool   // there is a Code
	Text   string // of the error
	Result Result
	Spans  JSON // OTLP resource spans in _meta (SEP-2448)
}

// Result holds what a call returned.
type Result struct {
	Raw        JSON
	Content    JSON
	FirstText  JSON // of Content
	IsError    JSON
	Structured JSON
	MimeType   JSON
	Bytes      int64 // of all resource contents, decoded
	Role       JSON
	Model      JSON
	StopReason JSON
	Action     JSON   // of an elicitation
	Permission string // the option that was chosen, or the outcome
	Listed     string // the member that holds a list: roots, tools, resources, resourceTemplates, prompts, messages
}

// Task holds what a message reports of a task (MCP 2025-11-25; SEP-2663).
type Task struct {
	ID      string
	Status  string // working, input_required, completed, failed, cancelled
	Message string
	TTL     JSON   // ms
	Outcome *Reply // of a task that is done, if it is reported at once
}

// InputRequired is a result that asks the client for input before the call can
// go on (MCP 2026-07-28).
type InputRequired struct {
	State  string // that the next request names
	Method string // of the first thing asked for
	Prompt string
	Schema JSON
}

// CallCancelled reports that the sender of a request gives it up.
type CallCancelled struct {
	Notice
	ID     JSON
	Reason string
}

// CallProgress is progress of a call, found by its token.
type CallProgress struct {
	Notice
	Token    JSON
	Value    float64
	HasValue bool
	Total    float64
	HasTotal bool
	Message  string
}

// TaskChanged is a notification about a task.
type TaskChanged struct {
	Notice
	Task Task
}

// SpansSent are OTLP resource spans that a server sends along.
type SpansSent struct {
	Notice
	Spans JSON
}

// RecordsLost reports that a tap lost records of the connection: replies to what is open
// may be among them.
type RecordsLost struct {
	Notice
	Records int64
}

// ToolUpdated holds what an ACP agent reports of a tool call of its own.
type ToolUpdated struct {
	Notice
	Call   JSON // toolCallId
	Title  JSON
	Name   JSON
	Kind   JSON
	Status JSON
	Input  JSON
	Output JSON   // or, if there is none, Content
	Failed string // text of the first content, of one that failed
}

// StreamUpdated is a piece of an ACP agent's text stream.
type StreamUpdated struct {
	Notice
	Text JSON // what the agent says to the person, a string; "" if it is anything else
}

// Target accepts events: sessions do, and so do tests. The event and its
// envelope are valid during the call only.
type Target interface {
	Apply(ctx context.Context, env *Envelope, e Event) error
}

// Usage holds what a call of a language model used, in tokens. Input includes what
// was read from and written to the provider's cache, and Output includes
// reasoning, as the semantic conventions count (gen_ai.usage.*).
type Usage struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
}

// ModelUse is a call of a language model as its agent reports it. What is not
// reported is empty.
type ModelUse struct {
	ID         string // that the provider gave the request
	ResponseID string
	Model      string // that was asked
	Answered   string // that answered
	Provider   string // gen_ai.provider.name; "" if it is not certain
	Usage      Usage
	HasUsage   bool
	Cost       float64 // US dollars
	HasCost    bool
	Start      int64  // Unix ns
	End        int64  // likewise
	FirstToken int64  // ns from Start to the first token
	Attempt    int64  // from 1
	Purpose    string // what the agent calls it: repl_main_thread, compact …
	Aside      bool   // it does not fill the context of the main thread: a title, a compaction, a sub-agent's call
	SubAgent   string // id of the sub-agent that made it, "" the main thread
	Finish     string // why the model stopped, as sent
	Input      JSON   // messages
	Output     JSON   // likewise
}

// ModelStarted reports that an agent is about to call a language model.
type ModelStarted struct {
	SelfReport
	Use ModelUse
}

// ModelEnded reports that the model answered, or that the call failed.
type ModelEnded struct {
	SelfReport
	Use     ModelUse
	Failed  bool
	Retries bool   // the agent tries again
	Type    string // error.type, as sent
	Status  int64  // of HTTP; 0 if it is not reported
	Text    string // of the error

	Interrupted bool // a person did not wait for the answer
}

// ServerChanged reports that the connection of an agent to an MCP server went up or
// down.
type ServerChanged struct {
	SelfReport
	Server    string // "" if it is not reported
	Status    string // connected, failed, disconnected
	Transport string
	Error     string
}

// TurnUsed holds what a turn used in all, where the agent adds it up itself. It
// repeats what the calls of its models reported.
type TurnUsed struct {
	SelfReport
	Usage   Usage
	Cost    float64 // US dollars
	HasCost bool
}
