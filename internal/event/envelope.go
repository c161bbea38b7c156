package event

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// JSON is the text of one JSON value as sent; empty means absent.
type JSON = jsonscan.Value

// Envelope holds what is known around an event.
type Envelope struct {
	Arrival    int64  // Unix ns, set by the engine
	Time       int64  // Unix ns; Arrival if the sender gave none
	Session    string // "" if the event names none
	Connection string // scopes JSON-RPC ids; the session if it is empty
	Host       string // one per agent-host process
	Process    string // id of the process of the agent that started what saw the message
	Tapped     string // session that the message was seen in, if Session is its host's
	Use        string // id that an agent gave the call of the heartbeat tool that the event is
	Peer       string // the IP address that the request came from
	MCPSession string // a real Mcp-Session-Id
	Direction  Direction
	Transport  string
	Client     string // name, as the record around the message has it
	Server     string // likewise
	ServerURI  string
	RequestID  string // mcp.request_id
	Bytes      int64  // size on the wire, if the record has it
	Invalid    string // what breaks the record's schema

	Traceparent string // of the tapped exchange
	Tracestate  string
	Push        identity.Context // of the request that brought the event

	ACP     bool // Agent Client Protocol rather than MCP
	Part    bool // Session is an agent's own, and Connection is that of one of its servers
	Derived bool // Session is made up from who sent it
	Served  bool // it was sent to the MCP server that we are: what we answer ourselves is no call
	Reduced bool // the message was not carried whole

	Exchange
}

// Exchange reports how the HTTP exchange of a message went, if its record says that.
type Exchange struct {
	Webhook      bool   // an event of MCP Events that was delivered to a webhook
	Subscription string // that the delivery's headers name
	Unanswered   bool   // the message stands for a reply that never came, or it is a delivery that none came to
	HTTPStatus   int64  // of the response that came instead, or with the reply; 0 if there was none
}

// Scope is the connection that the event's JSON-RPC ids belong to.
func (e *Envelope) Scope() string {
	if e.Connection != "" {
		return e.Connection
	}
	return e.Session
}

// PartOf makes what was seen of a server part of the session of the agent that started it.
// What it had a name for is then a connection of that session, which keeps the ids of
// several servers apart, and the agent speaks for its process.
func (e *Envelope) PartOf(agent string) {
	e.Connection = cmp.Or(e.Connection, e.Session, agent)
	e.Session, e.Host, e.MCPSession, e.Part = agent, "", "", true
}

// Direction names the sender of a message.
type Direction uint8

// The directions. Unknown is found out from the method, or from what is open.
const (
	Unknown Direction = iota
	FromClient
	FromServer
)

// Event is one of the pointer types of this package that embed [Contact] or
// [Notice], or stand alone.
type Event interface{ event() }

// Contact is a message that gives no telemetry of its own. It opens its
// session, and what its sender says of itself is learned. It is embedded in all
// events of JSON-RPC.
type Contact struct {
	Method string // "" for a reply
	Hello  *Hello // nil if the message says nothing of the kind
}

func (*Contact) event() {}

// KeepAlive is a sign of life of a connection: it neither opens nor reopens a
// session.
type KeepAlive struct{ Contact }

// Hello holds what client and server say of themselves.
type Hello struct {
	Client, Server Peer
	Protocol       string // revision, "" if none is named
	ServerDeclares *ServerDeclares
	ClientDeclares *ClientDeclares
	LogLevel       string // that the client asks for, "" if none
}

// Peer is a client's or server's own name and version.
type Peer struct{ Name, Version string }

// ServerDeclares are the capabilities of a server, or an ACP agent, that matter.
type ServerDeclares struct{ Reminders, Logging bool }

// ClientDeclares are the capabilities of a client.
type ClientDeclares struct {
	Logging  bool
	LogLevel string // "" if none is named
}

// TraceMeta is the trace context in a message's _meta (SEP-414), unchecked.
type TraceMeta struct{ Traceparent, Tracestate JSON }

// ParseTraceContext reads the two headers of W3C Trace Context
// (https://www.w3.org/TR/trace-context/); ok is false if traceparent is not valid.
// An invalid tracestate is left out, as section 3.3 of the specification requires.
func ParseTraceContext(traceparent, tracestate string) (_ identity.Context, ok bool) {
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	if tracestate != "" {
		carrier["tracestate"] = tracestate
	}
	sc := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !sc.IsValid() {
		return identity.Context{}, false
	}
	return identity.Context{
		Trace: identity.TraceID(sc.TraceID()), Span: identity.SpanID(sc.SpanID()),
		Flags: byte(sc.TraceFlags()), State: sc.TraceState().String(),
	}, true
}

// Traits hold what an agent's reports of itself lack or delay. Rules ask for them, and
// never for the name of an agent.
type Traits struct {
	HooksLackEnd          bool // its hooks leave out the ends of some calls of tools
	SubAgentSpansComeLate bool // its own span of a sub-agent follows the hook of the end
	CostOnlyInLogs        bool // its log records have the cost of a model call, its spans do not
	CostOnlyInHooks       bool // likewise its hooks
}

// EventSeen is an event of MCP Events in a message between others, or what their
// server says about a subscription: its error, its end.
type EventSeen struct {
	Method       string // mcpconv.EventOccurred, EventsError, EventsGap or EventsTerminated
	ID           JSON   // eventId
	Name         JSON   // of the type of event
	Cursor       JSON
	Data         JSON
	Subscription string
	Generation   string // g1, g3; "" if it is not certain
	Delivery     string // poll, push, webhook
	Refused      bool   // the webhook did not accept the delivery: it answered Status, or nothing if that is 0
	Status       int64  // of HTTP
	Code         JSON   // of the error
	Message      JSON   // likewise

	Raw     JSON // the event itself
	Params  JSON // Raw, if it has members that have no field here
	Time    int64
	Trace   TraceMeta
	Invalid string
}

func (*EventSeen) detail() {}
