package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Sources is a set of what reported.
type Sources uint8

// The sources, in the order of their names in telemetry.
const (
	FromHooks Sources = 1 << iota
	FromLogs
	FromSpans
	FromTap
	FromMCP
	FromPush
	FromInspector
)

// SourceOf is the set with that source of an agent's events.
func SourceOf(s event.Source) Sources {
	switch s {
	case event.Hook:
		return FromHooks
	case event.AgentLog:
		return FromLogs
	case event.AgentSpan:
		return FromSpans
	}
	return 0
}

// Has reports whether all of the others are in the set.
func (s Sources) Has(others Sources) bool { return s&others == others }

// Rank orders the sources of an agent's events by how good the spans are that can
// be made of them: an agent's own spans, hooks, logs.
func Rank(s event.Source) int {
	switch s {
	case event.AgentSpan:
		return 3
	case event.Hook:
		return 2
	case event.AgentLog:
		return 1
	}
	return 0
}

// Report holds an agent's report on something that it did itself. It is
// immutable.
type Report struct {
	Reported Sources      `cbor:"1,keyasint,omitempty"`
	By       event.Source `cbor:"2,keyasint,omitempty"` // that reported the end
	Over     bool         `cbor:"3,keyasint,omitempty"` // the end is known: it is held for a better source
	End      int64        `cbor:"4,keyasint,omitempty"` // Unix ns
	Failed   bool         `cbor:"5,keyasint,omitempty"`
	Code     string       `cbor:"6,keyasint,omitempty"`  // mcp.error.code
	Type     string       `cbor:"7,keyasint,omitempty"`  // error.type
	Text     string       `cbor:"8,keyasint,omitempty"`  // of the error
	Duration string       `cbor:"9,keyasint,omitempty"`  // ms, JSON
	Output   string       `cbor:"10,keyasint,omitempty"` // of a turn: the agent's last message, JSON; of a sub-agent: the params of what told of its end
	Name     string       `cbor:"11,keyasint,omitempty"` // of the tool, as its MCP server calls it, "" of an agent's own; of a sub-agent: its outcome, JSON
	Decision string       `cbor:"12,keyasint,omitempty"` // of a sub-agent: its tokens, JSON
	Decider  string       `cbor:"13,keyasint,omitempty"`
	InSize   int64        `cbor:"14,keyasint,omitempty"` // bytes
	OutSize  int64        `cbor:"15,keyasint,omitempty"` // bytes
	Refused  bool         `cbor:"16,keyasint,omitempty"` // a person or rule did not allow it
	Late     bool         `cbor:"17,keyasint,omitempty"` // its start was not seen
	Unclosed bool         `cbor:"18,keyasint,omitempty"` // its end was not seen, it follows from something else
}

// Bytes returns about how much memory the report takes.
func (r *Report) Bytes() int64 {
	if r == nil {
		return 0
	}
	const each = 192 // beside its strings
	return each + int64(len(r.Type)+len(r.Text)+len(r.Duration)+len(r.Output)+len(r.Name)+len(r.Decision)+len(r.Decider))
}

// Merge adds to what is known of a call what another source reports. Of two ends
// that of the better source counts, but who says that something failed knows more.
func Merge(old *Report, r Report, source event.Source) *Report {
	if r.Reported = SourceOf(source); r.Over {
		r.By = source
	}
	if old == nil {
		return &r
	}
	next := *old
	next.Reported |= r.Reported
	if r.Over && (!old.Over || old.Unclosed || !r.Unclosed && Rank(source) >= Rank(old.By)) {
		next.Over, next.By, next.End, next.Unclosed = true, source, r.End, r.Unclosed
	}
	if r.Over && r.Failed && (!old.Failed || !old.Refused) {
		next.Failed, next.Code, next.Refused = true, r.Code, r.Refused
		next.Type, next.Text = errorType(r.Type, old.Type), cmp.Or(r.Text, old.Text)
	}
	next.Duration, next.Output = cmp.Or(old.Duration, r.Duration), cmp.Or(old.Output, r.Output)
	next.Name, next.Decision, next.Decider = cmp.Or(old.Name, r.Name), cmp.Or(old.Decision, r.Decision), cmp.Or(old.Decider, r.Decider)
	next.InSize, next.OutSize = cmp.Or(old.InSize, r.InSize), cmp.Or(old.OutSize, r.OutSize)
	next.Late = old.Late && r.Late
	return &next
}

// errorType is the one of two types of an error that says more.
func errorType(last, first string) string {
	if first != "" && (last == mcpconv.TypeOther || last == mcpconv.TypeToolError) {
		return first
	}
	return cmp.Or(last, first)
}

// Model is a call of a language model. It is immutable.
type Model struct {
	ID         string  `cbor:"1,keyasint,omitempty"` // that the provider gave the request
	ResponseID string  `cbor:"2,keyasint,omitempty"`
	Answered   string  `cbor:"3,keyasint,omitempty"` // the model that answered
	Provider   string  `cbor:"4,keyasint,omitempty"`
	Purpose    string  `cbor:"5,keyasint,omitempty"`
	Finish     string  `cbor:"6,keyasint,omitempty"`
	Usage      Usage   `cbor:"7,keyasint"`
	HasUsage   bool    `cbor:"8,keyasint,omitempty"`
	Cost       float64 `cbor:"9,keyasint,omitempty"` // US dollars
	HasCost    bool    `cbor:"10,keyasint,omitempty"`
	Priced     bool    `cbor:"18,keyasint,omitempty"` // Cost is from a price table
	FirstToken int64   `cbor:"11,keyasint,omitempty"` // ns
	Attempt    int64   `cbor:"12,keyasint,omitempty"`
	Status     int64   `cbor:"13,keyasint,omitempty"` // of HTTP
	Window     int64   `cbor:"14,keyasint,omitempty"` // tokens that fit into the context, 0 if that does not concern it
	Estimated  bool    `cbor:"15,keyasint,omitempty"` // Window is from a table
	Output     string  `cbor:"16,keyasint,omitempty"` // JSON
	Aside      bool    `cbor:"17,keyasint,omitempty"` // it is none of the main thread's
}

// Usage counts the tokens of a model call, as [event.Usage].
type Usage struct {
	Input      int64 `cbor:"1,keyasint,omitempty"`
	Output     int64 `cbor:"2,keyasint,omitempty"`
	CacheRead  int64 `cbor:"3,keyasint,omitempty"`
	CacheWrite int64 `cbor:"4,keyasint,omitempty"`
	Reasoning  int64 `cbor:"5,keyasint,omitempty"`
}

// Minus returns the usage without another one, which may say less.
func (u Usage) Minus(other *Usage) Usage {
	return Usage{
		Input: max(u.Input-other.Input, 0), Output: max(u.Output-other.Output, 0), CacheRead: max(u.CacheRead-other.CacheRead, 0),
		CacheWrite: max(u.CacheWrite-other.CacheWrite, 0), Reasoning: max(u.Reasoning-other.Reasoning, 0),
	}
}

// AddSaturating is a total with what is added, at most the largest number: what clients make
// up must not make a total fall. What is negative is not added.
func AddSaturating(total, more int64) int64 {
	switch {
	case more <= 0:
		return total
	case total > math.MaxInt64-more:
		return math.MaxInt64
	}
	return total + more
}

// Bytes returns about how much memory it takes.
func (m *Model) Bytes() int64 {
	if m == nil {
		return 0
	}
	const each = 256 // beside its strings
	return each + int64(len(m.ID)+len(m.ResponseID)+len(m.Answered)+len(m.Provider)+len(m.Purpose)+len(m.Finish)+len(m.Output))
}

// Turn is the work of an agent from a prompt until it rests. It is immutable.
type Turn struct {
	ID        string  `cbor:"1,keyasint,omitempty"` // as its agent calls it
	Index     int64   `cbor:"2,keyasint,omitempty"` // in the session, from 1
	Prompted  bool    `cbor:"3,keyasint,omitempty"` // its prompt was seen
	Last      int64   `cbor:"4,keyasint,omitempty"` // Unix ns, the end of the last thing in it
	Input     int64   `cbor:"5,keyasint,omitempty"` // tokens, as the next two
	Output    int64   `cbor:"6,keyasint,omitempty"`
	CacheRead int64   `cbor:"7,keyasint,omitempty"`
	Cost      float64 `cbor:"8,keyasint,omitempty"`
	HasCost   bool    `cbor:"9,keyasint,omitempty"`
	Estimated float64 `cbor:"13,keyasint,omitempty"` // the part of Cost that is from a price table
	Tools     int64   `cbor:"10,keyasint,omitempty"`
	Models    int64   `cbor:"11,keyasint,omitempty"`
	Failed    bool    `cbor:"12,keyasint,omitempty"` // the last call of a model in its main thread
}

// turnBytes is about how much memory a turn takes.
const turnBytes = 128

// AgentBytes returns the size of what the call's agent reported.
func (t *Tool) AgentBytes() int64 {
	held := t.Report.Bytes() + t.Model.Bytes()
	if t.Turn != nil {
		held += turnBytes + int64(len(t.Turn.ID))
	}
	return held
}

// Done are the last things that an agent did, so that what another source reports
// of them later counts once. They are immutable; nil is none.
type Done []Fact

// Fact is one of them.
type Fact struct {
	Span    identity.SpanID `cbor:"4,keyasint"`           // under which it left
	Counted bool            `cbor:"7,keyasint,omitempty"` // in metrics: its tokens, or that it was an operation of MCP
	Paid    bool            `cbor:"8,keyasint,omitempty"` // its cost was
	Failed  bool            `cbor:"10,keyasint,omitempty"`

	Trace identity.TraceID `cbor:"13,keyasint"` // of Span; zero if an earlier version stored it

	Estimate float64 `cbor:"15,keyasint,omitempty"` // of its cost, as it was counted; zero if its agent reported that

	Account correlate.Account `cbor:"16,keyasint,omitempty"` // as of its call
}

// Say notes what is said of it, in its span or later.
func (f *Fact) Say(m *Model) {
	f.Counted = f.Counted || m.HasUsage
	if !m.HasCost || m.Priced && f.Paid {
		return
	}
	if f.Paid, f.Estimate = true, 0; m.Priced {
		f.Estimate = m.Cost
	}
}

// doneMax is more than what an agent does until all its sources have reported it.
const doneMax = 64

// With are the same and one more, without the oldest.
func (d Done) With(f Fact) Done {
	return slices.Concat(d[max(0, len(d)+1-doneMax):], Done{f})
}

// Bytes returns about how much memory they take.
func (d Done) Bytes() int64 {
	const each = 40
	return each * int64(len(d))
}

// Set are the same, but for the one at i.
func (d Done) Set(i int, f Fact) Done {
	next := slices.Clone(d)
	next[i] = f
	return next
}
