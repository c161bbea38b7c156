package event

import "github.com/otelcol-mcp/otelcol-mcp/internal/identity"

// Source is the kind of thing that reported.
type Source uint8

// The sources. Their numbers are stored.
const (
	Wire      Source = 0 // a message of JSON-RPC
	ACPUpdate Source = 1 // a session/update of ACP
	Hook      Source = 2 // a hook of an agent
	Inspector Source = 3 // an event of the Inspector
	Transport Source = 4 // the observer of the transport
	AgentLog  Source = 5 // a log record of an agent's own telemetry
	AgentSpan Source = 6 // a span of an agent's own telemetry
)

// Form classifies messages of JSON-RPC.
type Form uint8

// The forms.
const (
	Notification Form = iota
	Request
	Response
)

// Notice is something without a duration. All events that are recorded as they
// are embed it.
type Notice struct {
	Contact
	Source     Source
	Form       Form   // of a message of JSON-RPC
	Name       string // of the span; "" if Prefix and Method make it
	Prefix     string
	StableID   string // that the sender gave it: event or reminder id
	Numbered   bool   // its bytes hold a number that no other has: the same again are a repeat
	Raw        JSON   // the whole message or event
	Params     JSON   // what is recorded of it as it is
	RPCID      JSON   // of a reply
	Version    string // of JSON-RPC
	FromClient bool
	Time       int64 // its own, Unix ns; 0 if it has none
	Invalid    string
	Trace      TraceMeta
	Detail     Detail // nil if nothing else is known
}

// Base is the notice itself; events that embed it have it too.
func (n *Notice) Base() *Notice { return n }

// Detail adds what is known of a notice: one of the pointer types below.
type Detail interface{ detail() }

// Subject holds what a notification without a type of its own is about.
type Subject struct {
	URI        JSON
	TaskID     JSON
	TaskStatus JSON
}

// Progress is progress of a call that is not open.
type Progress struct {
	Token, Value, Total, Message JSON
}

// Log is a log message of MCP or ACP.
type Log struct {
	Level, Logger, Data, Message JSON
	ACP                          bool // method log, rather than notifications/message
	InSession                    bool // it names a session
}

// Reminder is a reminder, whatever its dialect. Null is absent.
type Reminder struct {
	ID, Body, Tags, DedupeKey, TTLTurns, Preserve, Propagate, RoleHint, FiredAt JSON
}

// Fired reports whether the reminder was shown to the model already.
func (r *Reminder) Fired() bool { return r.FiredAt != "" }

// Plan is the plan of an ACP agent.
type Plan struct{ Entries JSON }

// ContextUse reports how much of its context window an ACP agent uses.
type ContextUse struct{ Used, Size JSON }

// HookInfo holds what a hook of an agent reports, as far as it is recorded.
type HookInfo struct {
	Event   string
	Tool    JSON
	AgentID JSON
	Trigger JSON
	Error   JSON
	Prompt  JSON
	Message JSON
	Weight  HookWeight
}

// HookWeight grades how much a hook's event concerns a person, whatever its agent calls it.
type HookWeight uint8

// The weights.
const (
	HookInforms HookWeight = iota
	HookWarns              // a person is asked, or the context is compacted
	HookFails              // a turn failed
)

// ResourceUsed is a resource that was read, without how long it took.
type ResourceUsed struct {
	URI, MimeType string
	Bytes         int64
	HasBytes      bool
}

// PromptUsed is a prompt template that was used, likewise.
type PromptUsed struct {
	Template   string
	Parameters JSON
}

// WorkflowProgress reports how far a workflow is.
type WorkflowProgress struct {
	Token      string
	Percent    float64
	HasPercent bool
	Message    string
}

// Deltas hold what a workflow used since it last reported.
type Deltas struct{ LLMCalls, Tokens, ToolCalls int64 }

// ServerStatus reports the state of an agent's connection to an MCP server.
type ServerStatus struct{ Server, Status, Transport string }

// Amendment holds what was reported of a call after its span had left. What is not news
// is empty.
type Amendment struct {
	Span  identity.SpanID
	Call  string // id of a call of a tool
	Tool  string
	Model string // that was asked

	Decision, Decider string // on a call of a tool

	Used Usage
	Cost float64 // US dollars

	Priced bool // Cost is from a price table

	Answered  string // the model that answered
	Provider  string
	Window    int64 // tokens that fit into the context, 0 if that does not concern it
	Estimated bool  // Window is from a table
}

// TransportStatus is connected, disconnected or reconnecting.
type TransportStatus struct{ Status string }

func (*Subject) detail()          {}
func (*Progress) detail()         {}
func (*Log) detail()              {}
func (*Reminder) detail()         {}
func (*Plan) detail()             {}
func (*ContextUse) detail()       {}
func (*HookInfo) detail()         {}
func (*ResourceUsed) detail()     {}
func (*PromptUsed) detail()       {}
func (*WorkflowProgress) detail() {}
func (*Deltas) detail()           {}
func (*TransportStatus) detail()  {}
func (*ServerStatus) detail()     {}
func (*Amendment) detail()        {}
func (*HostStatus) detail()       {}
func (*HostReport) detail()       {}
