// Package observation holds the observation record: a JSON-RPC message together with
// what is known around it. One record is one line of NDJSON.
package observation

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// The two directions of a message.
const (
	ClientToServer = "client_to_server"
	ServerToClient = "server_to_client"
)

// DeliveryWebhook marks the record of a webhook delivery (MCP Events).
const DeliveryWebhook = "webhook"

// ProtocolACP marks a record of the Agent Client Protocol; all others are MCP.
const ProtocolACP = "acp"

// DroppedMethod is the method of the notification by which a tap reports that it
// lost records: params.records of them, of the connection and the session of the
// record that holds the notification, before that record and after the former one
// of the connection. Replies may be among them.
const DroppedMethod = "notifications/mcptap/dropped"

// Record holds what surrounds a message. Strings alias the decoded text; "" is
// absent. Exactly one of a message, an End and a TransportStatus belongs to it.
type Record struct {
	Time       int64 // Unix ns; 0 if absent
	Connection string
	Session    string
	Host       string
	Direction  string // ClientToServer, ServerToClient or ""
	Transport  string // stdio, http, sse, websocket
	Server     string
	ServerURI  string
	Client     string
	Protocol   string

	AgentSession string // id that the agent that started the sender gives its own session
	Process      string // id of the process of that agent

	MCPSessionID string // as the tapped exchange had them
	RequestID    string
	Traceparent  string
	Tracestate   string

	Bytes   int64 // size of a message that is carried reduced
	Reduced bool

	// Unanswered marks a message that the server did not send: the HTTP exchange of
	// a request is over without a reply to it. The message is an error with the
	// request's id, and with the error's members as the server sent them if it named
	// no id or another one, else with a message only.
	Unanswered bool
	HTTPStatus int64 // of the response, in Unanswered records and other replies that came with 300 or more; 0 if there was none

	// Delivery is [DeliveryWebhook] for an event of MCP Events that its server delivered
	// to a webhook, "" for all other messages. The message is then a notification
	// notifications/events/event with the delivered body as its params, and HTTPStatus
	// is that of an answer which was no success; Unanswered says that none came.
	Delivery     string
	Subscription string // that the headers of the delivery name

	End             End
	TransportStatus string

	Invalid string // what breaks the schema without making the record useless
}

// TraceOf is the session in whose trace the record's messages are: the agent's, if one
// started the sender.
func (r *Record) TraceOf() string {
	if r.AgentSession != "" && r.Protocol != ProtocolACP {
		return r.AgentSession
	}
	return r.Session
}

// End records that a session is over.
type End struct {
	Present     bool
	Reason      string
	ExitCode    int64
	HasExitCode bool
}

// Members are the names of a record's members other than message.
var Members = []string{
	"end", "transport_status", "time", "session", "connection", "host", "direction", "transport", "client", "server", "server_uri",
	"protocol", "mcp_session_id", "request_id", "traceparent", "tracestate", "bytes", "reduced",
	"unanswered", "http_status", "agent_session", "process", "delivery", "subscription_id",
}

// Member reads the value of a record's member other than message from c; it is
// false, and c unmoved, when a record has no member of that name.
func (r *Record) Member(key string, c *jsonscan.Cursor) bool {
	if to := r.text(key); to != nil {
		r.takeString(key, c.Value(), to)
		return true
	}
	switch key {
	case "time":
		r.takeTime(c.Value())
	case "direction":
		r.takeDirection(c.Value())
	case "bytes":
		r.Bytes, _ = c.Value().Int()
	case "reduced":
		r.Reduced = c.Value().IsTrue()
	case "unanswered":
		r.Unanswered = c.Value().IsTrue()
	case "http_status":
		r.HTTPStatus, _ = c.Value().Int()
	case "end":
		r.End.take(c)
	default:
		return false
	}
	return true
}

// text is where the string member key belongs, or nil.
func (r *Record) text(key string) *string {
	switch key {
	case "connection":
		return &r.Connection
	case "session":
		return &r.Session
	case "host":
		return &r.Host
	case "transport":
		return &r.Transport
	case "server":
		return &r.Server
	case "server_uri":
		return &r.ServerURI
	case "client":
		return &r.Client
	case "protocol":
		return &r.Protocol
	case "mcp_session_id":
		return &r.MCPSessionID
	case "request_id":
		return &r.RequestID
	case "traceparent":
		return &r.Traceparent
	case "tracestate":
		return &r.Tracestate
	case "transport_status":
		return &r.TransportStatus
	case "agent_session":
		return &r.AgentSession
	case "process":
		return &r.Process
	case "delivery":
		return &r.Delivery
	case "subscription_id":
		return &r.Subscription
	}
	return nil
}

func (r *Record) takeString(key string, v jsonscan.Value, to *string) {
	if !v.IsString() && !v.IsNull() {
		r.Invalid = key + " is not a string"
		return
	}
	*to = v.Str()
}

// leastNs is in 1973: milliseconds and microseconds of our time are less.
const leastNs = 100_000_000_000_000_000

// takeTime reads RFC 3339 or Unix nanoseconds.
func (r *Record) takeTime(v jsonscan.Value) {
	if ns, ok := v.Int(); ok && ns >= leastNs {
		r.Time = ns
		return
	}
	t, err := time.Parse(time.RFC3339Nano, v.Str())
	if year := t.Year(); err != nil || year < 1970 || year > 2261 || t.UnixNano() <= 0 { // else it may wrap around
		r.Invalid = "time is neither RFC 3339 nor Unix nanoseconds"
		return
	}
	r.Time = t.UnixNano()
}

func (r *Record) takeDirection(v jsonscan.Value) {
	switch v.Str() {
	case ClientToServer:
		r.Direction = ClientToServer
	case ServerToClient:
		r.Direction = ServerToClient
	default:
		r.Invalid = "direction is neither client_to_server nor server_to_client"
	}
}

func (e *End) take(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		c.Value()
		return
	}
	e.Present = true
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		v := c.Value()
		switch key {
		case "reason":
			e.Reason = v.Str()
		case "exit_code":
			e.ExitCode, e.HasExitCode = v.Int()
		}
	}
}
