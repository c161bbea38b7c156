package correlate

import (
	"math"

	"github.com/cespare/xxhash/v2"
)

// Source is the kind of telemetry that a report came by. A lower one is the better source.
type Source uint8

// The sources, the best one first. Their numbers are stored.
const (
	Span       Source = 1
	Hook       Source = 2
	Log        Source = 3
	Wire       Source = 4 // a message that was seen between a client and a server
	Transcript Source = 5
	sources           = 6
)

// Sources is a set of sources.
type Sources uint8

// With returns the set with another source.
func (s Sources) With(o Source) Sources { return s | 1<<o }

// Has reports whether the source is in the set.
func (s Sources) Has(o Source) bool { return s&(1<<o) != 0 }

// Kind is the kind of thing that happened.
type Kind uint8

// The kinds. Their numbers are stored.
const (
	Turn       Kind = 1
	ModelCall  Kind = 2
	ToolCall   Kind = 3
	Agent      Kind = 4
	Wait       Kind = 5
	Compaction Kind = 6
	HostError  Kind = 7
	Connection Kind = 8 // of the agent to an MCP server; a report of it is that it failed
	kinds           = 9
)

// Reach is the greatest distance in ns at which time joins two sources' views of one thing.
const Reach = int64(2e9)

// reach is the same for one kind: a host's own error and its phase come further apart.
func (k Kind) reach() int64 {
	if k == HostError {
		return 5e9
	}
	return Reach
}

// Stage is the part of a thing that a report is about.
type Stage uint8

// The stages. Their numbers are stored.
const (
	Whole    Stage = 0 // the end, and all that is known by then
	Begin    Stage = 1
	Decision Stage = 2 // what is known between both: whether it is allowed, another name, a sum
	stages         = 3
)

// Outcome is the way in which a thing ended.
type Outcome uint8

// The outcomes. Of two reports of one source the greater one counts. Their numbers are stored.
const (
	Unknown     Outcome = 0
	OK          Outcome = 1
	Failed      Outcome = 2
	Interrupted Outcome = 3 // by a person
	Refused     Outcome = 4 // by a person or a rule
)

// Verdict is the decision on a tool call.
type Verdict uint8

// The verdicts. Their numbers are stored.
const (
	Undecided Verdict = 0
	Accepted  Verdict = 1
	Rejected  Verdict = 2
)

// IDKind is the kind of an id.
type IDKind uint8

// The kinds of ids. Their numbers are stored.
const (
	contentID  IDKind = 0 // made of what a report without ids says
	CallID     IDKind = 1 // tool_use_id, call_id
	RequestID  IDKind = 2
	ResponseID IDKind = 3
	AgentID    IDKind = 4
	PromptID   IDKind = 5 // of a turn
	SpanID     IDKind = 6 // the thing's own span, sent or announced
	ServerID   IDKind = 7 // name of an MCP server
	MessageID  IDKind = 7 // of a message on the wire; things that have one have no ServerID
	idKinds           = 8
)

// ID is a hash of an id and its kind. Zero is none.
type ID uint64

// NewID returns the ID for the text of an id, zero for an empty text.
func NewID(kind IDKind, text string) ID {
	if text == "" {
		return 0
	}
	return ID(xxhash.Sum64String(text)&^7 | uint64(kind))
}

// Kind returns the kind of the id.
func (id ID) Kind() IDKind { return IDKind(id & 7) }

// Digest returns the digest of an input, zero for none.
func Digest(input string) uint64 {
	if input == "" {
		return 0
	}
	return xxhash.Sum64String(input) | 1
}

// Usage counts the tokens of a model call. Input includes the cache, Output reasoning.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
}

// add adds another usage, at most up to the greatest number.
func (u *Usage) add(o Usage, sign int64) {
	u.Input += sign * o.Input
	u.Output += sign * o.Output
	u.CacheRead += sign * o.CacheRead
	u.CacheWrite += sign * o.CacheWrite
	u.Reasoning += sign * o.Reasoning
}

// Report describes one thing as one source saw it. Its strings are copied if they are kept.
type Report struct {
	Source Source
	Kind   Kind
	Stage  Stage
	// IDs are the ids of the thing. The first one is the source's own name for it: reports
	// of one source with an equal first id are about the same thing. Zeros are skipped.
	IDs    [maxIDs]ID
	Name   string // of the tool, model or agent, as the source calls it
	Alias  string // a second name: the server's name of the tool, the model that answered
	Thread string // id of the sub-agent, "" for the main thread
	// AnyThread is set where the source does not name threads: an empty Thread may be any.
	AnyThread bool
	Digest    uint64 // of the input, zero if it is not known
	Start     int64  // Unix ns, zero if it is not known
	End       int64  // likewise; a beginning has none

	Usage    Usage
	HasUsage bool
	Cost     float64 // US dollars
	HasCost  bool
	Priced   bool // the cost is from a price table
	// Internal is set for a model call that does not fill the context of its thread, such as a
	// title or a compaction, and for a turn that the agent may have begun by itself.
	Internal bool

	Outcome Outcome
	Verdict Verdict
	Text    string // of the error
	Parent  ID     // any id of the thing that this one is part of
}

// Limits of one report. What exceeds them is cut.
const (
	maxIDs    = 3
	maxName   = 2*hashBytes + 1 // of a hashed name
	maxText   = 256
	maxTokens = math.MaxUint32
	maxCost   = int64(1e9) * nano
	nano      = int64(1e9) // of a dollar: sums of integers do not depend on the order
)
