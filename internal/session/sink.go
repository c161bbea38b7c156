package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Sink receives what happens in a transaction, in the order in which it does, on
// the goroutine that works on the transaction. What it is given is valid during
// the call only and is not to be changed. Times are message times in Unix ns.
type Sink interface {
	// SessionStarted reports that a root will follow under s.Root; marker is the
	// span ID of its marker.
	SessionStarted(s *store.SessionRecord, marker identity.SpanID)
	// SessionEnded comes last: all that was open has been closed.
	SessionEnded(*SessionEnd)
	// SessionState reports all that a row of the session shows.
	SessionState(*SessionState)
	CallStarted(CallStart)
	CallEnded(*CallEnd)
	WaitStarted(*WaitStart)
	WaitEnded(*WaitEnd)
	PhaseStarted(s *store.SessionRecord, p *store.Phase)
	PhaseEnded(*PhaseEnd)
	// AgentStarted reports a sub-agent; marker is the span ID of its marker.
	AgentStarted(s *store.SessionRecord, a *store.Agent, marker identity.SpanID)
	AgentEnded(*AgentEnd)
	Watched(*Watch)
	// InBand hands on foreign spans and returns how many passed and how many did not.
	InBand(*InBand) (accepted, refused int)
	Notice(*Notice)
	// Occurred reports an event, or something about a subscription to events.
	Occurred(*Occurrence)
}

// Outcome is the way in which something ended; the zero value is success.
type Outcome struct {
	Failed  bool
	Code    string // mcp.error.code
	Type    string // error.type
	RPCCode string // rpc.response.status_code
	Message string
}

// SessionEnd is the end of an epoch.
type SessionEnd struct {
	Session *store.SessionRecord
	Time    int64
	Reason  string // mcpconv.End…
	Summary identity.SpanID
	Host    identity.Context     // the root of the host that the session belongs to
	Parent  *store.SessionRecord // that this one turned out to be part of, nil if it is none
	News    event.Amendment      // what it used that no call reported
	Totals  store.Summary        // of the epoch
}

// Outcome tells how the session ended; failed is worse than stalled, and that than
// cancelled.
func (e *SessionEnd) Outcome() Outcome {
	switch s := e.Session; {
	case s.Failed:
		return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: s.ErrorText}
	case e.Stalled():
		o := Outcome{
			Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: "the agent host stalled and was not heard of again",
		}
		if !s.Stalled {
			o.Message = "a stuck call ended without a reply, and nothing was heard since"
		}
		return o
	case s.Cancelled:
		return Outcome{Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: s.ErrorText}
	}
	return Outcome{}
}

// Stalled reports whether the session was given up.
func (e *SessionEnd) Stalled() bool {
	return e.Reason == mcpconv.EndStalled || e.Reason == mcpconv.EndEvicted && (e.Session.Stalled || e.Session.Unreturned)
}

// CallStart is the start of a call.
type CallStart struct {
	Session *store.SessionRecord // nil if there is none
	Call    *store.CallRecord
	Marker  identity.SpanID // of one for which a person is asked, zero for all others
}

// CallEnd is the end of a call.
type CallEnd struct {
	Session    *store.SessionRecord // nil if there is none
	Call       *store.CallRecord
	Peer       string // whom it was asked of; "" if unknown
	Time       int64
	Reply      *event.Reply   // nil if none came
	Use        *event.ToolUse // what a hook reported at the end, or nil
	Outcome    Outcome
	Cancelled  bool
	Incomplete bool
	Size       int64 // of the reply in bytes, if the record has it
	Reduced    bool  // the reply was not carried whole
	HTTPStatus int64 // of the response that came instead of the reply or with it, if it is 300 or more
	Invalid    string

	Late bool // its fact became known when others of its time were forgotten

	// Measured is set if another call was measured that is the same fact: a call of a tool
	// has two layers.
	Measured bool

	Native    *event.Native    // the agent's own span of it, which is handed on as it is; nil if there is none
	Announced identity.SpanID  // as which its start was reported, zero if it is the span that leaves
	Duplicate identity.SpanID  // under which the same left before, zero if it did not
	News      *event.Amendment // what was not known when the same left before; nil if it did not
}

// WaitStart is the start of a wait.
type WaitStart struct {
	Session *store.SessionRecord // nil if there is none
	Wait    *store.Wait
	Call    *store.CallRecord // that waits, nil if it is the session
	Marker  identity.SpanID
}

// WaitEnd is the end of a wait.
type WaitEnd struct {
	Session    *store.SessionRecord // nil if there is none
	Wait       *store.Wait
	Call       *store.CallRecord // that waited, nil if it was the session
	Time       int64
	Action     string // of the client, if it was asked
	Incomplete bool
}

// PhaseEnd is the end of a host's phase.
type PhaseEnd struct {
	Session    *store.SessionRecord
	Phase      *store.Phase
	Time       int64
	Incomplete bool
}

// AgentEnd is the end of a sub-agent's work.
type AgentEnd struct {
	Session    *store.SessionRecord // nil if there is none
	Agent      *store.Agent
	Time       int64
	Completed  *event.SubAgent // what its end reported, nil if that was not seen
	Params     string          // of the notification of the end
	Outcome    Outcome
	Context    identity.Context // of that notification
	Incomplete bool
	Invalid    string
	Native     *event.Native   // as in [CallEnd]
	Duplicate  identity.SpanID // likewise
	Late       bool            // likewise
}

// Watch reports a finding of the sessions themselves: that something does not move,
// or moves again.
type Watch struct {
	Name    string               // mcpconv.SpanHostStalled and its like
	Session *store.SessionRecord // nil if there is none
	Call    *store.CallRecord    // nil if it is about the host
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Time    int64
	Silent  int64 // ns for which nothing moved
}

// InBand are spans that a server sent along with a message (SEP-2448). They are
// not to be trusted: only those of a trace for which Belongs is true may pass.
type InBand struct {
	Session *store.SessionRecord
	Spans   event.JSON // OTLP resource spans
	Belongs func(identity.TraceID) bool
}

// Notice is a notice and where its span stands.
type Notice struct {
	*event.Notice
	Envelope *event.Envelope
	Session  *store.SessionRecord // nil if there is none
	Name     string               // of the span; own
	Trace    identity.TraceID
	Span     identity.SpanID
	Parent   identity.SpanID
	Time     int64
	Own      int64 // the time that it has of its own, if its span cannot have that; else 0
	Sender   string
	Context  identity.Context // of the message: a link, or the parent without a session
	Link     identity.Context // of the push request
	Invalid  string
	Outcome  Outcome
	Tokens   int64 // spent since the last that was reported, for metrics

	Replaces string      // of a reminder: id of the reminder that it takes the place of
	Declared store.Known // of a reminder or log: whether it was declared that there would be any
}

// Occurrence is an event of MCP Events and where its span stands.
type Occurrence struct {
	*event.Occurrence
	Time    int64
	Trace   identity.TraceID
	Span    identity.SpanID
	Context identity.Context // the parent
	Outcome Outcome
}
