package store

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// SessionRecord is one epoch of a session, or, with Connection set, what is known of
// a connection that has none. The zero value is not usable.
type SessionRecord struct {
	Epoch     `cbor:"1,keyasint"`
	Parties   `cbor:"2,keyasint"`
	Ending    `cbor:"3,keyasint"`
	Transport `cbor:"4,keyasint"`
	Host      `cbor:"5,keyasint"`
	Levels    `cbor:"6,keyasint"`
	Clock     `cbor:"7,keyasint"`
	Recent    `cbor:"9,keyasint"`
	Routes    `cbor:"10,keyasint"`

	Roots   *Roots       `cbor:"11,keyasint,omitempty"` // that this one links to
	Engine  string       `cbor:"12,keyasint,omitempty"`
	Title   string       `cbor:"13,keyasint,omitempty"`
	Invalid string       `cbor:"14,keyasint,omitempty"` // what was wrong with the messages that opened and ended it
	Summary Summary      `cbor:"15,keyasint"`
	Agent   *CodingAgent `cbor:"16,keyasint,omitempty"` // nil if no agent reported on itself
	Waits   List[Wait]   `cbor:"17,keyasint,omitempty"`
	Pending Reminders    `cbor:"19,keyasint,omitempty"` // not shown yet: they may be replaced
	Flood   Flood        `cbor:"20,keyasint"`

	Spans      int32 `cbor:"21,keyasint,omitempty"`
	Connection bool  `cbor:"22,keyasint,omitempty"` // no session: no root, no trace of its own
	ACP        bool  `cbor:"23,keyasint,omitempty"` // Agent Client Protocol was seen
	Inspector  bool  `cbor:"24,keyasint,omitempty"` // Inspector events were seen
	Announced  bool  `cbor:"25,keyasint,omitempty"`
	Unused     bool  `cbor:"27,keyasint,omitempty"` // an agent opened it, and nothing happened in it yet: it has no row
	Superseded bool  `cbor:"28,keyasint,omitempty"` // what is open went on into the next epoch
	NoTools    bool  `cbor:"29,keyasint,omitempty"` // no call of the agent's tools runs; false if that is not known
	Declared   `cbor:"8,keyasint"`

	Extra *Extra `cbor:"26,keyasint,omitempty"` // nil in sessions without any of it; replaced when it changes
}

// Extra holds more fields of a session. Apart, they keep the record in a smaller
// size class of Go's memory. It is immutable.
type Extra struct {
	RowAt       int64      `cbor:"1,keyasint,omitempty"` // sequence of the state that was reported last
	Fill        Fill       `cbor:"2,keyasint"`           // of the context window; At is 0 if it is not known
	LastFailure *Failure   `cbor:"3,keyasint,omitempty"` // nil if none has a text
	Earlier     *Summary   `cbor:"4,keyasint,omitempty"` // of all former epochs, without their facts; nil in the first
	Delivered   *Delivered `cbor:"5,keyasint,omitempty"` // notices with ids of their own

	HostError *HostError `cbor:"13,keyasint,omitempty"` // nil unless the host failed, and did not go on since

	Members    string `cbor:"6,keyasint,omitempty"`  // an object of the members of an Inspector's starts and finishes that have no field
	MembersCut bool   `cbor:"7,keyasint,omitempty"`  // some did not fit
	AtWork     bool   `cbor:"12,keyasint,omitempty"` // so the state says that was reported last

	Before *Summary `cbor:"8,keyasint,omitempty"` // what the facts counted when the epoch began; nil in the first
	End    *End     `cbor:"9,keyasint,omitempty"` // nil while the session is open

	Missed *Missed `cbor:"14,keyasint,omitempty"` // nil if nothing may be

	Forgotten int64 `cbor:"15,keyasint,omitempty"` // Unix ns, until when facts were forgotten

	Named string `cbor:"10,keyasint,omitempty"` // the agent's name of the session in former epochs; payload
	Made  string `cbor:"11,keyasint,omitempty"` // the title that the agent made of its own accord; payload
}

// Missed is the time in which something may have happened that is not known, from the first
// to the last of it. It is immutable.
type Missed struct {
	From  int64 `cbor:"1,keyasint,omitempty"` // Unix ns
	Until int64 `cbor:"2,keyasint,omitempty"` // Unix ns
}

// With returns the time with another one; m may be nil.
func (m *Missed) With(from, until int64) *Missed {
	if m == nil {
		return &Missed{from, until}
	}
	return &Missed{min(m.From, from), max(m.Until, until)}
}

// End is the end of a session, as its row has it. It is immutable.
type End struct {
	Time   int64  `cbor:"1,keyasint,omitempty"` // Unix ns
	Reason string `cbor:"2,keyasint,omitempty"`
	Whole  *Epoch `cbor:"3,keyasint,omitempty"` // of the session that it is part of, nil if it is none
}

// More returns what the session has beside the rest.
func (s *SessionRecord) More() Extra {
	if s.Extra == nil {
		return Extra{}
	}
	return *s.Extra
}

// Failure is an error that was counted. It is immutable.
type Failure struct {
	At   int64  `cbor:"1,keyasint,omitempty"` // Unix ns, its end
	Text string `cbor:"2,keyasint,omitempty"`
}

// HostError is a failure that a host reported. It is immutable.
type HostError struct {
	At       int64  `cbor:"1,keyasint,omitempty"` // Unix ns
	Type     string `cbor:"2,keyasint,omitempty"` // as the host names it
	Text     string `cbor:"3,keyasint,omitempty"` // payload
	Retrying bool   `cbor:"4,keyasint,omitempty"` // it tries again
	Retries  int64  `cbor:"5,keyasint,omitempty"`
}

// TracePrefix begins the names of sessions that are named after a trace.
const TracePrefix = "trace:"

// OfTrace reports whether the session is that of a trace in which no span names one.
func (s *SessionRecord) OfTrace() bool {
	trace, ok := strings.CutPrefix(s.ID[strings.LastIndexByte(s.ID, '/')+1:], TracePrefix)
	return ok && len(trace) == 2*len(identity.TraceID{})
}

// Epoch is the identity of one epoch of a session.
type Epoch struct {
	ID       string           `cbor:"1,keyasint,omitempty"` // as the sender calls it, in all epochs
	Identity string           `cbor:"2,keyasint,omitempty"` // that IDs are derived from
	Trace    identity.TraceID `cbor:"3,keyasint"`
	Root     identity.SpanID  `cbor:"4,keyasint"`
	Start    int64            `cbor:"5,keyasint,omitempty"` // Unix ns
	Last     int64            `cbor:"6,keyasint,omitempty"` // time of the last message
	Number   int32            `cbor:"7,keyasint,omitempty"` // from 1
	Until    int64            `cbor:"8,keyasint,omitempty"` // Unix ns, the latest end of a span inside the root
}

// Contain makes the root reach around a span of its trace.
func (e *Epoch) Contain(trace identity.TraceID, start, end int64) {
	if trace == e.Trace {
		e.Start, e.Until = min(e.Start, start), max(e.Until, end)
	}
}

// Latest returns the time of the last message, or of what was found later in its absence.
func (e *Epoch) Latest() int64 { return max(e.Last, e.Until) }

// Marker is the span ID of the marker that goes ahead of another span.
func (e *Epoch) Marker(of identity.SpanID) identity.SpanID {
	return identity.Span(e.Trace, identity.Start, e.Identity, of.String())
}

// Parties identifies client and server.
type Parties struct {
	MCPSession string    `cbor:"1,keyasint,omitempty"` // a real Mcp-Session-Id
	Info       *PeerInfo `cbor:"2,keyasint,omitempty"` // nil as long as they said nothing
	Client     string    `cbor:"3,keyasint,omitempty"` // as records call them
	Server     string    `cbor:"4,keyasint,omitempty"`
	HostID     string    `cbor:"5,keyasint,omitempty"` // the agent host's process
	Derived    bool      `cbor:"6,keyasint,omitempty"` // the session is named after who sent it
}

// PeerInfo holds what client and server said of themselves, and over what. It is immutable.
type PeerInfo struct {
	Client   Peer   `cbor:"1,keyasint"`
	Server   Peer   `cbor:"2,keyasint"`
	Protocol string `cbor:"3,keyasint,omitempty"` // negotiated revision
	Wire     Wire   `cbor:"4,keyasint"`           // zero as long as no request said
}

// Wire describes the connection that carries their messages.
type Wire struct {
	Carrier string `cbor:"1,keyasint,omitempty"` // stdio, http …
	Server  string `cbor:"2,keyasint,omitempty"` // scheme, host and port of its URI; nothing that may be secret
}

// Peer is a client's or server's own name and version.
type Peer struct {
	Name    string `cbor:"1,keyasint,omitempty"`
	Version string `cbor:"2,keyasint,omitempty"`
}

var noInfo PeerInfo

// PeerInfo returns what client and server said of themselves; never nil.
func (p *Parties) PeerInfo() *PeerInfo {
	if p.Info == nil {
		return &noInfo
	}
	return p.Info
}

// Names returns client and server as records call them, else as they call themselves.
func (p *Parties) Names() (client, server string) {
	return cmp.Or(p.Client, p.PeerInfo().Client.Name), cmp.Or(p.Server, p.PeerInfo().Server.Name)
}

// Peers returns client and server as they call themselves, else as records call them.
func (p *Parties) Peers() (client, server string) {
	return cmp.Or(p.PeerInfo().Client.Name, p.Client), cmp.Or(p.PeerInfo().Server.Name, p.Server)
}

// Roots are other roots of the same session. It is immutable.
type Roots struct {
	Former identity.Context `cbor:"1,keyasint"` // of the former epoch
	File   identity.Context `cbor:"2,keyasint"` // that the session's trace has in a file
}

// Ending describes the end of a session.
type Ending struct {
	Failed    bool   `cbor:"1,keyasint,omitempty"`
	Cancelled bool   `cbor:"2,keyasint,omitempty"`
	ErrorText string `cbor:"3,keyasint,omitempty"`
	Exit      *int64 `cbor:"4,keyasint,omitempty"` // the process's exit code
}

// Transport describes the session's transport.
type Transport struct {
	TransportStatus string `cbor:"1,keyasint,omitempty"`
	Reconnects      int32  `cbor:"2,keyasint,omitempty"`
	LostRecords     int32  `cbor:"3,keyasint,omitempty"` // that taps lost; no more than it can say
}

// Levels counts the starts of an Inspector's session, which nest.
type Levels struct {
	Starts   int32     `cbor:"1,keyasint,omitempty"` // that no finish has met
	SawStart bool      `cbor:"2,keyasint,omitempty"`
	Started  [2]uint64 `cbor:"3,keyasint"` // hashes of the last starts
}

// Clock are times of arrival, which stand still while the collector is away.
type Clock struct {
	Arrival    int64 `cbor:"1,keyasint,omitempty"` // Unix ns, of the last message, or of what stood for one
	IdleOffset int64 `cbor:"2,keyasint,omitempty"` // from the last message to what stood for it, ns
	Ended      int64 `cbor:"3,keyasint,omitempty"` // Unix ns, 0 while the session is open
	Heard      int64 `cbor:"4,keyasint,omitempty"` // Unix ns, of the last message but keep-alives, which an SDK sends by itself
}

// Declared holds the peers' declarations, and the log level they agreed on.
type Declared struct {
	Reminders Known `cbor:"1,keyasint,omitempty"` // whether the server sends reminders
	Logs      Known `cbor:"2,keyasint,omitempty"` // whether there are log messages
	LogLevel  uint8 `cbor:"3,keyasint,omitempty"` // of mcpconv.Levels, 0 if none

	DroppedReminders bool `cbor:"4,keyasint,omitempty"` // some were, and that was logged
	DroppedLogs      bool `cbor:"5,keyasint,omitempty"` // likewise
}

// Recent are hashes of what ended just before.
type Recent struct {
	Finished  *Recents `cbor:"1,keyasint,omitempty"` // tool calls that ACP agents report, by their ids
	Traces    *Recents `cbor:"2,keyasint,omitempty"` // traces of calls
	Withdrawn *Recents `cbor:"3,keyasint,omitempty"` // cancelled calls whose replies may still come
}

// Routes holds what a connection that carries several sessions knows of them.
type Routes struct {
	Carried   []string          `cbor:"1,keyasint,omitempty"` // sessions whose messages came over it; immutable
	Redirects map[string]string `cbor:"2,keyasint,omitempty"` // sessions of open requests, by CallKey.Route; of an agent's session: its servers' names, by connection
}

// Summary counts what a session did. Of a session it has what is no fact.
type Summary struct {
	LLMCalls  int64 `cbor:"1,keyasint,omitempty"`
	Tokens    int64 `cbor:"2,keyasint,omitempty"`
	ToolCalls int64 `cbor:"3,keyasint,omitempty"`
	Notices   int64 `cbor:"5,keyasint,omitempty"`
	Errors    int64 `cbor:"6,keyasint,omitempty"`
	WaitingNs int64 `cbor:"7,keyasint,omitempty"`

	Input      int64   `cbor:"10,keyasint,omitempty"` // tokens, as the next; they are in Tokens too
	Output     int64   `cbor:"11,keyasint,omitempty"`
	CacheRead  int64   `cbor:"12,keyasint,omitempty"` // in Input too
	CacheWrite int64   `cbor:"17,keyasint,omitempty"` // likewise
	Reasoning  int64   `cbor:"18,keyasint,omitempty"` // in Output too
	Cost       float64 `cbor:"13,keyasint,omitempty"` // US dollars
	Estimated  float64 `cbor:"19,keyasint,omitempty"` // the part of Cost that is from a price table

	// What is counted one by one, beside each other: a session's memory is bounded.
	Agents    int32 `cbor:"4,keyasint,omitempty"`
	Resources int32 `cbor:"8,keyasint,omitempty"`
	Prompts   int32 `cbor:"9,keyasint,omitempty"`
	Turns     int32 `cbor:"15,keyasint,omitempty"`
	Refusals  int32 `cbor:"16,keyasint,omitempty"`

	HasCost bool `cbor:"14,keyasint,omitempty"`
}

// Absorb adds what a sub-agent did in a session of its own. Its turns are none of a
// person's.
func (u *Summary) Absorb(part *Summary) {
	for to, more := range map[*int64]int64{
		&u.LLMCalls: part.LLMCalls, &u.Tokens: part.Tokens, &u.ToolCalls: part.ToolCalls, &u.Errors: part.Errors,
		&u.Input: part.Input, &u.Output: part.Output,
		&u.CacheRead: part.CacheRead, &u.CacheWrite: part.CacheWrite, &u.Reasoning: part.Reasoning,
	} {
		*to = AddSaturating(*to, more)
	}
	u.Agents, u.Refusals = u.Agents+part.Agents, u.Refusals+part.Refusals
	u.Cost, u.HasCost, u.Estimated = u.Cost+part.Cost, u.HasCost || part.HasCost, u.Estimated+part.Estimated
}

// AddEpoch adds what the session did in another epoch.
func (u *Summary) AddEpoch(other *Summary) {
	u.Absorb(other)
	u.Notices, u.WaitingNs = AddSaturating(u.Notices, other.Notices), AddSaturating(u.WaitingNs, other.WaitingNs)
	u.Resources, u.Prompts, u.Turns = u.Resources+other.Resources, u.Prompts+other.Prompts, u.Turns+other.Turns
}

// since returns what was counted after before was.
func (u Summary) since(before *Summary) Summary {
	for n, less := range map[*int64]int64{
		&u.LLMCalls: before.LLMCalls, &u.Tokens: before.Tokens, &u.ToolCalls: before.ToolCalls, &u.Errors: before.Errors,
		&u.Input: before.Input, &u.Output: before.Output,
		&u.CacheRead: before.CacheRead, &u.CacheWrite: before.CacheWrite, &u.Reasoning: before.Reasoning,
	} {
		*n = max(*n-less, 0)
	}
	u.Agents, u.Turns, u.Refusals = max(u.Agents-before.Agents, 0), max(u.Turns-before.Turns, 0), max(u.Refusals-before.Refusals, 0)
	u.Cost = max(u.Cost-before.Cost, 0)
	u.HasCost = u.Cost > 0 || u.HasCost && !before.HasCost
	u.Estimated = min(max(u.Estimated-before.Estimated, 0), u.Cost)
	return u
}

// Flood counts a session's notifications of one second.
type Flood struct {
	Second  int64 `cbor:"1,keyasint,omitempty"`
	N       int32 `cbor:"2,keyasint,omitempty"`
	Dropped bool  `cbor:"3,keyasint,omitempty"` // since it began, some were
}

// Reminders are reminders that were not shown yet. They are immutable.
type Reminders []Reminder

// Reminder is one of them.
type Reminder struct {
	Key      uint64 `cbor:"1,keyasint"` // hash of its dedupe key
	ID       string `cbor:"2,keyasint"`
	Preserve bool   `cbor:"3,keyasint,omitempty"` // it survives a compaction
}

// Wait is a stretch of time in which a session, or a call, waits for a signal.
// It is immutable.
type Wait struct {
	Name    string           `cbor:"1,keyasint,omitempty"`
	Prompt  string           `cbor:"2,keyasint,omitempty"`
	Schema  string           `cbor:"3,keyasint,omitempty"` // JSON
	Start   int64            `cbor:"4,keyasint,omitempty"`
	Invalid string           `cbor:"5,keyasint,omitempty"`
	Trace   identity.TraceID `cbor:"6,keyasint"`
	Span    identity.SpanID  `cbor:"7,keyasint"`
	Parent  identity.SpanID  `cbor:"8,keyasint"`
	Hash    uint64           `cbor:"9,keyasint,omitempty"`  // of the event that reported it
	Beaten  bool             `cbor:"10,keyasint,omitempty"` // a heartbeat of the Inspector came since
}

// Bytes returns the size of the wait's payload.
func (w *Wait) Bytes() int64 { return int64(len(w.Prompt) + len(w.Schema)) }

// Known tells whether something was declared, if the declaration was seen at all.
type Known uint8

// The values of Known; the zero value is that nothing is known.
const (
	KnownNo  Known = 1
	KnownYes Known = 2
)

// KnownIf is KnownYes or KnownNo.
func KnownIf(yes bool) Known {
	if yes {
		return KnownYes
	}
	return KnownNo
}

// GivenUp reports whether nobody has seen to the session's host: it was stalled, or a
// call got stuck, and nothing was heard since.
func (s *SessionRecord) GivenUp() bool { return s.Ended == 0 && (s.Stalled || s.Unreturned) }

// MessageTime is the time of an arrival by the clock of the session's messages.
func (s *SessionRecord) MessageTime(arrival int64) int64 {
	return s.Last + s.IdleOffset + arrival - s.Arrival
}

// Sources are all that reported the session, if an agent did.
func (s *SessionRecord) Sources() Sources {
	all := s.Ways
	if s.Agent != nil {
		all |= s.Agent.Sources
	}
	if s.Inspector {
		all |= FromInspector
	}
	return all
}

// In reports whether the session's host is in that phase.
func (s *SessionRecord) In(phase string) bool { return s.Phase != nil && s.Phase.Name == phase }

// FirstPrompt returns the first prompt of the host, JSON; "" if that was not
// reported.
func (s *SessionRecord) FirstPrompt() string {
	if s.Agent == nil {
		return ""
	}
	return s.Agent.Input
}

// nameBytes is where a name is cut that is made of a prompt.
const nameBytes = 120

// Name is what an agent's session is called: the title that it gave, else the first line of
// the first prompt of all epochs; "" if neither is known.
func (s *SessionRecord) Name() string {
	if name := cmp.Or(s.Title, s.More().Named); name != "" {
		return name
	}
	line, _, _ := strings.Cut(strings.TrimSpace(event.JSON(s.FirstPrompt()).Str()), "\n")
	return strings.Clone(jsonscan.Cut(line, nameBytes))
}

// Waiting reports whether the session's host waits for a person to allow something.
func (s *SessionRecord) Waiting() bool { return s.In(mcpconv.PhaseApproval) }

// Inbound reports whether the session is a server's, which another agent called.
func (s *SessionRecord) Inbound() bool { return s.Engine == "inbound" }
