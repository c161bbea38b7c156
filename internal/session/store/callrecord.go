package store

import (
	"cmp"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// CallRecord is a request that waits for its reply, or a tool call that its agent
// reported. All its strings are its own.
type CallRecord struct {
	Place         `cbor:"1,keyasint"`
	Key           CallKey `cbor:"2,keyasint"` // of its first request
	Peers         `cbor:"3,keyasint"`
	Content       `cbor:"4,keyasint"`
	Updates       `cbor:"5,keyasint"`
	Task          `cbor:"6,keyasint"`
	Tool          `cbor:"7,keyasint"`
	Round         `cbor:"8,keyasint"`
	ProgressTimes `cbor:"9,keyasint"`

	Kind      event.CallKind `cbor:"10,keyasint,omitempty"`
	Source    event.Source   `cbor:"11,keyasint,omitempty"`
	Method    string         `cbor:"12,keyasint,omitempty"`
	Start     int64          `cbor:"13,keyasint,omitempty"` // Unix ns
	Invalid   string         `cbor:"14,keyasint,omitempty"`
	Version   string         `cbor:"15,keyasint,omitempty"` // of JSON-RPC
	Size      int64          `cbor:"16,keyasint,omitempty"` // bytes on the wire, if it was carried reduced
	RequestID string         `cbor:"17,keyasint,omitempty"` // mcp.request_id
	Token     string         `cbor:"18,keyasint,omitempty"` // progress token, JSON
	Busy      string         `cbor:"19,keyasint,omitempty"` // the host that it keeps busy
	SubAgent  string         `cbor:"20,keyasint,omitempty"` // id of the sub-agent that made it, "" the main thread

	Parked  ParkKey  `cbor:"21,keyasint"`           // what it waits for, if not for its reply
	Poll    *ParkKey `cbor:"22,keyasint,omitempty"` // where the call is parked whose task it asks for
	Stuck   bool     `cbor:"23,keyasint,omitempty"` // it does not move, and that was reported
	Dropped bool     `cbor:"24,keyasint,omitempty"` // nothing is reported of it

	Uncertain bool `cbor:"25,keyasint,omitempty"` // its reply may be among records that a tap lost
	Explained bool `cbor:"27,keyasint,omitempty"` // a call in it failed, and was counted

	Account correlate.Account `cbor:"28,keyasint,omitempty"` // of the report that began it, 0 if it is of no fact
}

// Place is where the call's span stands.
type Place struct {
	Trace   identity.TraceID `cbor:"1,keyasint"`
	Span    identity.SpanID  `cbor:"2,keyasint"`
	Parent  identity.SpanID  `cbor:"3,keyasint"`
	Remote  bool             `cbor:"4,keyasint,omitempty"` // the parent came from a trace context
	Context identity.Context `cbor:"5,keyasint"`           // that context
	Link    identity.Context `cbor:"6,keyasint"`           // the push request's context
}

// CallKey finds an open call by its id, or by its progress token.
type CallKey struct {
	Connection string `cbor:"1,keyasint,omitempty"`
	ID         string `cbor:"2,keyasint,omitempty"` // JSON
	FromClient bool   `cbor:"3,keyasint,omitempty"`
}

// ParkKey finds an open call that waits for something other than the reply to
// its request.
type ParkKey struct {
	Kind       ParkKind `cbor:"1,keyasint,omitempty"` // 0 if the call is not parked
	Connection string   `cbor:"2,keyasint,omitempty"`
	ID         string   `cbor:"3,keyasint,omitempty"`
	FromClient bool     `cbor:"4,keyasint,omitempty"`
}

// ParkKind is the reason for which a call is parked.
type ParkKind uint8

// The kinds.
const (
	ParkedTask  ParkKind = 1 // its task, by the task's id
	ParkedRound ParkKind = 2 // the client to go on, by the state that it will name
	ParkedTool  ParkKind = 3 // updates of ACP, by the tool call's id
	ParkedTurn  ParkKind = 4 // its agent to rest; a turn is one such call
	ParkedAgent ParkKind = 5 // the span of a sub-agent whose end was reported, by the span's id
)

// Peers identifies the call's client and server.
type Peers struct {
	Sender    string `cbor:"1,keyasint,omitempty"`
	Client    string `cbor:"2,keyasint,omitempty"` // the record's
	Server    string `cbor:"3,keyasint,omitempty"`
	ServerURI string `cbor:"4,keyasint,omitempty"`
	Transport string `cbor:"5,keyasint,omitempty"`
}

// Content holds the call's target, input and output.
type Content struct {
	Target     string `cbor:"1,keyasint,omitempty"` // tool, prompt, level or URI
	Input      string `cbor:"2,keyasint,omitempty"` // arguments, messages or schema, JSON
	Text       string `cbor:"3,keyasint,omitempty"` // system prompt, elicitation message or title
	Preference string `cbor:"4,keyasint,omitempty"` // model preferences, JSON
	Hint       string `cbor:"5,keyasint,omitempty"` // the model that is preferred; of a poll for events, an array of the subscriptions, JSON
	Envelope   string `cbor:"6,keyasint,omitempty"` // the request, JSON
	Output     string `cbor:"7,keyasint,omitempty"` // of a tool call of ACP, JSON
}

// Updates are the call's progress: the first, then the newest in a ring.
type Updates struct {
	Progress []Progress `cbor:"1,keyasint,omitempty"`
	Count    int        `cbor:"2,keyasint,omitempty"` // how many came in all
}

// Progress is one progress notification.
type Progress struct {
	Time     int64   `cbor:"1,keyasint"`
	Progress float64 `cbor:"2,keyasint"`
	Total    float64 `cbor:"3,keyasint,omitempty"`
	HasTotal bool    `cbor:"4,keyasint,omitempty"`
	Message  string  `cbor:"5,keyasint,omitempty"`
}

// Task is the task that the call runs as, or is about.
type Task struct {
	TaskID     string `cbor:"1,keyasint,omitempty"`
	TaskStatus string `cbor:"2,keyasint,omitempty"`
	TaskEnd    int64  `cbor:"3,keyasint,omitempty"` // when it was done, 0 if it is not
	TaskText   string `cbor:"4,keyasint,omitempty"` // its last status message
	Deadline   int64  `cbor:"5,keyasint,omitempty"` // arrival time at which the call ends at the latest, 0 if there is none
}

// Tool holds an agent's report on the call.
type Tool struct {
	ToolID     string `cbor:"1,keyasint,omitempty"`
	ToolKind   string `cbor:"2,keyasint,omitempty"`
	ToolStatus string `cbor:"3,keyasint,omitempty"` // these three are of ACP

	Report *Report `cbor:"4,keyasint,omitempty"` // nil but for what agents report of themselves, as the next two
	Model  *Model  `cbor:"5,keyasint,omitempty"`
	Turn   *Turn   `cbor:"6,keyasint,omitempty"`

	Use string `cbor:"7,keyasint,omitempty"` // id that the agent gave its own call, JSON; "" but for messages that name it
}

// Round is the latest request of a call that takes several.
type Round struct {
	RoundID    string `cbor:"1,keyasint,omitempty"` // JSON, "" if there was only one
	RoundStart int64  `cbor:"2,keyasint,omitempty"`
	RoundHash  uint64 `cbor:"3,keyasint,omitempty"` // of the request
	Wait       *Wait  `cbor:"4,keyasint,omitempty"` // in which the client is asked
}

// ProgressTimes are when the call began and last made progress.
type ProgressTimes struct {
	Arrival         int64 `cbor:"1,keyasint,omitempty"` // of its request
	ProgressArrival int64 `cbor:"2,keyasint,omitempty"` // arrival of the last sign of progress
	LastProgress    int64 `cbor:"3,keyasint,omitempty"` // its message time
}

// OpenKey returns the key that finds the call among the open ones.
func (c *CallRecord) OpenKey() CallKey {
	return CallKey{c.Key.Connection, cmp.Or(c.RoundID, c.Key.ID), c.Key.FromClient}
}

// TokenKey returns the key that finds it by its progress token.
func (c *CallRecord) TokenKey() CallKey {
	return CallKey{c.Key.Connection, c.Token, c.Key.FromClient}
}

// Asks reports whether the call waits for a person.
func (c *CallRecord) Asks() bool { return c.Kind == event.Elicitation || c.Kind == event.Permission }

// OwnTool reports whether the call is of a tool of the agent itself. Of which MCP server
// another one is, not all agents say.
func (c *CallRecord) OwnTool() bool {
	if !c.OfAgent() || c.Kind != event.ToolCall {
		return false
	}
	return c.Server == "" && (c.Report == nil || c.Report.Name == "")
}

// OfAgent reports whether the call is what an agent reported of itself, rather
// than a message that was seen.
func (c *CallRecord) OfAgent() bool { return Rank(c.Source) > 0 }

// OwnModel reports whether the call is of a model, by an agent that reported it.
func (c *CallRecord) OwnModel() bool { return c.Kind == event.ModelCall && c.OfAgent() }

// Over reports whether the call has ended and is only held.
func (c *CallRecord) Over() bool { return c.Report != nil && c.Report.Over }

// Sources returns the kinds of telemetry that reported the call.
func (c *CallRecord) Sources() Sources {
	if c.Report == nil {
		return 0
	}
	return c.Report.Reported
}

// Note adds a progress event and returns what it replaced, at is -1 if nothing.
func (u *Updates) Note(p Progress, limit int) (old Progress, at int) {
	u.Count++
	if len(u.Progress) < limit {
		u.Progress = append(u.Progress, p)
		return Progress{}, -1
	}
	at = 1 + (u.Count-1-limit)%(limit-1)
	old, u.Progress[at] = u.Progress[at], p
	return old, at
}

// Events are the kept progress events in order.
func (u *Updates) Events() []Progress {
	over := u.Count - len(u.Progress)
	if over <= 0 || len(u.Progress) < 2 {
		return u.Progress
	}
	next := 1 + over%(len(u.Progress)-1)
	events := append([]Progress{u.Progress[0]}, u.Progress[next:]...)
	return append(events, u.Progress[1:next]...)
}

// callBytes is about how much memory a call takes beside its strings.
const callBytes = 768

// RequestBytes returns about how much memory a new call takes.
func (c *CallRecord) RequestBytes() int64 {
	return callBytes + int64(len(c.Key.Connection)+len(c.Key.ID)+len(c.Method)+len(c.Token)+len(c.Target)+
		len(c.Client)+len(c.Server)+len(c.ServerURI)+len(c.RequestID)+
		len(c.Sender)+len(c.Hint)+len(c.TaskID)+len(c.ToolID)+len(c.Use)+len(c.ToolKind)+len(c.Output)+len(c.Version)+len(c.Context.State)+len(c.Link.State)+
		len(c.Input)+len(c.Text)+len(c.Preference)+len(c.Envelope))
}

// Bytes returns about how much memory a call takes that is open for a while.
func (c *CallRecord) Bytes() int64 {
	held := c.RequestBytes() + int64(len(c.RoundID)+len(c.TaskText)+len(c.SubAgent))
	for i := range c.Progress {
		held += int64(len(c.Progress[i].Message))
	}
	if c.Wait != nil {
		held += c.Wait.Bytes()
	}
	return held + c.AgentBytes()
}

// ToolBytes returns the size of what updates of a tool call of ACP may change.
func (c *CallRecord) ToolBytes() int64 {
	return int64(len(c.Target) + len(c.Text) + len(c.ToolKind) + len(c.Input) + len(c.Output))
}

// Route is the key as one string, as [Routes] has it.
func (k CallKey) Route() string {
	direction := "s"
	if k.FromClient {
		direction = "c"
	}
	return direction + k.Connection + "\x00" + k.ID
}

// Hash is a hash of the key.
func (k CallKey) Hash() uint64 {
	var d xxhash.Digest
	d.Reset()
	if k.FromClient {
		_, _ = d.WriteString("\x01")
	}
	_, _ = d.WriteString(k.Connection)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(k.ID)
	return d.Sum64()
}

// recordsInOrder compares calls by their start; the rest makes the order certain.
func recordsInOrder(a, b *CallRecord) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Key.Connection, b.Key.Connection),
		cmp.Compare(a.Key.ID, b.Key.ID), cmp.Compare(side(a.Key.FromClient), side(b.Key.FromClient)))
}

// side is 0 for the client and 1 for the server.
func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}
