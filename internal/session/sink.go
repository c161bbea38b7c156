package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// Sink is told what happened, in the order in which it did, on the goroutine
// that works on the transaction. What it is given is valid during the call only.
type Sink interface {
	// SessionStarted tells that a root will follow under s.Root; marker is the
	// span ID of the announcement.
	SessionStarted(s *Session, marker identity.SpanID)
	// SessionEnded comes last: all that was open has been closed.
	SessionEnded(*SessionEnd)
	// CallStarted tells of a call; marker is the span ID of the announcement of
	// one for which a person is asked, zero for all others.
	CallStarted(c *Call, marker identity.SpanID)
	CallEnded(*CallEnd)
	WaitStarted(s *Session, w *Wait, marker identity.SpanID)
	WaitEnded(*WaitEnd)
	PhaseStarted(s *Session, p *Phase)
	PhaseEnded(*PhaseEnd)
	AgentStarted(s *Session, a *Agent, marker identity.SpanID)
	AgentEnded(*AgentEnd)
	Watched(*Watch)
	// InBand hands on foreign spans, and tells how many passed and how many did not.
	InBand(*InBand) (taken, refused int)
	Notice(*Notice)
	// Occurred tells of an event, or of a subscription to events.
	Occurred(*Occurrence)
}

// SessionEnd is the end of an epoch.
type SessionEnd struct {
	Session *Session
	Time    int64
	Reason  string // mcpconv.End…
	Summary identity.SpanID
	Host    Context // the root of the host that the session belongs to
}

// CallEnd is the end of a call.
type CallEnd struct {
	Call       *Call
	Time       int64
	Reply      *jsonrpc.Message // nil if none came
	Hook       *jsonrpc.Hook    // that told of the end, or nil
	Outcome    Outcome
	Cancelled  bool
	Incomplete bool
	Bytes      int64 // of the reply, if the record told
	Reduced    bool  // the reply was not carried whole
	Invalid    string
}

// WaitEnd is the end of a wait.
type WaitEnd struct {
	Session    *Session
	Wait       *Wait
	Time       int64
	Action     string // of the client, if it was asked
	Incomplete bool
}

// Notice is something without a duration.
type Notice struct {
	Session *Session // nil if there is none
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Name    string
	Time    int64
	Sender  string
	Client  bool    // the client sent it
	Context Context // of the message: a link, or the parent without a session
	Link    Context // of the push request
	Invalid string
	Obs     *Observation
	Message *jsonrpc.Message // of JSON-RPC, or nil
	Event   *Event           // of the Inspector, or nil
	Outcome Outcome
	Status  string // of a transport

	Host      *jsonrpc.Host      // of a heartbeat, or nil
	Tool      bool               // the heartbeat is a tool's call
	HostEvent *jsonrpc.HostEvent // of other host telemetry, or nil
	Hook      *jsonrpc.Hook      // of an agent host, or nil
	Reminder  *Reminder          // or nil
	Log       bool               // a log message
	Declared  Known              // whether it had been declared that there would be such
	Tokens    int64              // spent since the last that was told, for metrics
}

// EventKind tells which fields of an [Event] matter.
type EventKind uint8

// The kinds of Inspector events that are notices.
const (
	EventOther EventKind = iota
	EventBeat
	EventResource
	EventPrompt
	EventProgress
)

// Event is an Inspector event that is a notice. Its strings alias the body.
type Event struct {
	Kind EventKind
	Type string
	Raw  string

	LLMCalls, Tokens, ToolCalls int64
	URI, MimeType               string
	Bytes                       int64
	HasBytes                    bool
	Template                    string
	Parameters                  string // JSON
	Token                       string
	Percent                     float64
	HasPercent                  bool
	Message                     string
}

// Observation is what is known around a message. Its strings alias the body.
type Observation struct {
	Arrival    int64
	Time       int64 // Arrival if the sender gave none
	Session    string
	Connection string // the session if the sender gave none
	Host       string // the agent host's process
	Peer       string // the IP address that the push request came from
	Derived    bool   // the session is named after who sent it
	Served     bool   // a request that we answer ourselves: no call
	MCPSession string
	Direction  Direction
	Transport  string
	Client     string
	Server     string
	ServerURI  string
	RequestID  string
	ACP        bool
	Bytes      int64 // on the wire, if the record told
	Reduced    bool  // the message was not carried whole
	Invalid    string

	Traceparent string
	Tracestate  string
	Push        Context // the push request's own
}

// Direction is who sent a message.
type Direction uint8

// The directions; Unknown is to be found out.
const (
	Unknown Direction = iota
	FromClient
	FromServer
)
