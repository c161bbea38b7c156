package store

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Host describes the agent host that a session belongs to.
type Host struct {
	Phase *Phase `cbor:"2,keyasint,omitempty"` // the one it is in, nil if it reported none
	Task  string `cbor:"3,keyasint,omitempty"` // what it last said that it works on

	// These are a word together: with another one a session is in a larger size class.
	IsHost  bool `cbor:"1,keyasint,omitempty"` // host telemetry was seen
	Stalled bool `cbor:"4,keyasint,omitempty"` // its heartbeats stopped, and that was reported
	Beaten  bool `cbor:"5,keyasint,omitempty"` // a heartbeat was seen

	Unreturned bool `cbor:"15,keyasint,omitempty"` // a call got stuck, and nothing was heard since

	HasTokens    bool    `cbor:"6,keyasint,omitempty"`
	HasToolCalls bool    `cbor:"7,keyasint,omitempty"`
	ByTool       bool    `cbor:"14,keyasint,omitempty"` // all its heartbeats were calls of a tool, which its model makes
	Ways         Sources `cbor:"16,keyasint,omitempty"` // by which messages of the session came
	TokensUsed   int64   `cbor:"8,keyasint,omitempty"`  // the last total
	ToolCalls    int64   `cbor:"9,keyasint,omitempty"`  // likewise

	Agents  List[Agent] `cbor:"10,keyasint,omitempty"` // open, in order of their start
	Spawned *Recents    `cbor:"11,keyasint,omitempty"` // hashes of the ids of sub-agents
	Echoes  *Echoes     `cbor:"12,keyasint,omitempty"` // of what the host sent to its servers
}

// Fill measures the context window of a host's main thread.
type Fill struct {
	Used      int64   `cbor:"1,keyasint,omitempty"` // tokens
	Limit     int64   `cbor:"2,keyasint,omitempty"` // tokens, 0 if it is not known
	Percent   float64 `cbor:"3,keyasint,omitempty"`
	Estimated bool    `cbor:"4,keyasint,omitempty"` // Limit is from a table
	At        int64   `cbor:"5,keyasint,omitempty"` // Unix ns
}

// SetFill keeps the fill of the context window as of that time, unless a later one is
// known. A limit that is not given stays; what is above the limit is a total and no
// fill (mapping §6).
func (s *SessionRecord) SetFill(f Fill) {
	more := s.More()
	if f.At < more.Fill.At {
		return
	}
	if f.Limit == 0 {
		f.Limit, f.Estimated = more.Fill.Limit, more.Fill.Estimated
	}
	if f.Used < 0 || f.Limit > 0 && f.Used > f.Limit {
		return
	}
	if f.Limit > 0 && f.Used > 0 {
		f.Percent = 100 * float64(f.Used) / float64(f.Limit)
	}
	more.Fill = f
	s.Extra = &more
}

// Phase is a stretch of time in which a host does one kind of thing. It is
// immutable.
type Phase struct {
	Name   string           `cbor:"1,keyasint"`
	Start  int64            `cbor:"2,keyasint,omitempty"`
	Trace  identity.TraceID `cbor:"3,keyasint"`
	Span   identity.SpanID  `cbor:"4,keyasint"`
	Parent identity.SpanID  `cbor:"5,keyasint"`
}

// Agent is a sub-agent that a host started. It is immutable.
type Agent struct {
	ID      string           `cbor:"1,keyasint,omitempty"`
	Type    string           `cbor:"2,keyasint,omitempty"`
	Task    string           `cbor:"3,keyasint,omitempty"`
	Model   string           `cbor:"4,keyasint,omitempty"`
	Spawned string           `cbor:"5,keyasint,omitempty"` // params of the notification that reported it, JSON
	Start   int64            `cbor:"6,keyasint,omitempty"`
	Trace   identity.TraceID `cbor:"7,keyasint"`
	Span    identity.SpanID  `cbor:"8,keyasint"`
	Parent  identity.SpanID  `cbor:"9,keyasint"`
	Context identity.Context `cbor:"10,keyasint"` // of the notification
	Link    identity.Context `cbor:"11,keyasint"` // of the push request
	Sender  string           `cbor:"12,keyasint,omitempty"`
	Invalid string           `cbor:"13,keyasint,omitempty"`
	Seen    bool             `cbor:"14,keyasint,omitempty"` // its start was reported, rather than derived from its end
	Hash    uint64           `cbor:"15,keyasint,omitempty"` // of the params that Spawned has, if payloads are kept

	Account correlate.Account `cbor:"16,keyasint,omitempty"` // of the report that began it
}

// Bytes returns about how much memory the sub-agent takes.
func (a *Agent) Bytes() int64 {
	const each = 256 // beside its strings
	return each + int64(len(a.ID)+len(a.Type)+len(a.Task)+len(a.Model)+len(a.Spawned))
}

// CodingAgent holds what a host reports of itself, by hooks or
// its own telemetry. It is immutable.
type CodingAgent struct {
	Input  string  `cbor:"1,keyasint,omitempty"` // the first prompt, JSON
	Before string  `cbor:"2,keyasint,omitempty"` // phase to which a pause gives way, if any
	Manual bool    `cbor:"3,keyasint,omitempty"` // the compaction was asked for
	Asking CallIDs `cbor:"4,keyasint,omitempty"` // calls for which a person was asked

	Sources    Sources      `cbor:"5,keyasint,omitempty"`  // that reported the session
	SpanSource event.Source `cbor:"6,keyasint,omitempty"`  // whose spans are the session's; Wire as long as that is not known
	Model      string       `cbor:"7,keyasint,omitempty"`  // that it uses
	Window     int64        `cbor:"8,keyasint,omitempty"`  // tokens that fit into the context, as it says
	Dir        string       `cbor:"9,keyasint,omitempty"`  // working directory
	Branch     string       `cbor:"10,keyasint,omitempty"` // of git
	Turns      int64        `cbor:"11,keyasint,omitempty"` // that began
	Done       Done         `cbor:"12,keyasint,omitempty"` // what it did last

	Expected   Sources `cbor:"13,keyasint,omitempty"` // that it is configured to send, as it says
	Unassigned *Turn   `cbor:"14,keyasint,omitempty"` // what it did outside of turns that are known
	Output     string  `cbor:"16,keyasint,omitempty"` // its last message, a JSON string
	ModelAt    int64   `cbor:"17,keyasint,omitempty"` // Unix ns, of what named Model

	Question *Question `cbor:"18,keyasint,omitempty"` // what a person was asked last; it is open while the session waits
}

// Question describes an action that a person is asked to allow. It is immutable.
type Question struct {
	Tool   string `cbor:"1,keyasint,omitempty"` // "" if it is not known
	Detail string `cbor:"2,keyasint,omitempty"` // the command, the file or the address; payload
	Hash   uint64 `cbor:"3,keyasint,omitempty"` // of the tool and its input
}

// CallIDs are keys of calls. They are immutable.
type CallIDs []CallKey

// Without are the same but for that key.
func (ids CallIDs) Without(key CallKey) CallIDs {
	at := slices.Index(ids, key)
	if at < 0 {
		return ids
	}
	if len(ids) == 1 {
		return nil
	}
	return slices.Concat(ids[:at], ids[at+1:])
}

// With are the same and one more.
func (ids CallIDs) With(key CallKey) CallIDs { return append(slices.Clip(ids), key) }
