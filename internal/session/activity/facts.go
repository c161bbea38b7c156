package activity

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/layers"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/table"
)

// An agent may report one fact three times: through a hook, in a log record and in
// a span of its own. A fact has one span. Whose that is, is decided for each
// session; until that is known, and where a better source is expected, what has
// ended is held: it stays among the open calls, with a deadline. What has left is
// remembered for a while, so that what comes later counts once.

// Facts is the transaction with the rules of what several sources report.
type Facts struct{ *Tx }

// Facts are those rules.
func (tx *Tx) Facts() Facts { return Facts{tx} }

// resolution is how far apart two sources may see the beginning of one fact, in
// ns: what has no id is found by its name and time.
const resolution = int64(2e9)

// Fact is how one thing that an agent did is found again.
type Fact struct {
	Kind   event.CallKind
	Key    state.CallKey
	Name   string // of the tool or model
	Start  int64  // Unix ns
	End    int64  // Unix ns, 0 if it only begins, or if its start says more
	Source event.Source
	Sum    uint64 // of what else tells two of them apart: the input of a tool, the tokens of a model; 0 if that is not known
	Failed bool
}

func (f *Fact) loose() bool { return strings.HasPrefix(f.Key.ID, state.GeneratedID) }

func (f *Fact) hash() uint64 { return layers.FactHash(f.Kind, f.Key.ID) }

func (f *Fact) name() uint64 { return xxhash.Sum64String(f.Name) + uint64(f.Kind) }

// near reports whether two sources may mean the same by these times.
func near(a, b int64) bool { return distance(a, b) <= resolution }

func distance(a, b int64) int64 { return max(a-b, b-a) }

// from is how far the fact is from what began and ended then. Ends say more: not
// every source knows when something began.
func (f *Fact) from(start, end int64) int64 {
	if f.End != 0 && end != 0 {
		return distance(f.End, end)
	}
	return distance(f.Start, start)
}

// Two sources may see one call far apart: one includes what the answer of a model makes
// the agent do, or how long a tool waited. Then what they used, or their input, tells; or
// that they failed.
const (
	sameSum     = int64(60e9)
	sameFailure = int64(5e9)
)

// apart is how far the fact is from another one, and whether that is near enough.
func (f *Fact) apart(start, end int64, sum uint64, failed bool) (away int64, ok bool) {
	away = f.from(start, end)
	switch {
	case sum != 0 && sum == f.Sum && away <= sameSum:
		return away / (sameSum / resolution), true // before what is only near
	case f.Kind == event.ModelCall && sum != 0 && f.Sum != 0: // used something else
		return away, false
	case f.Kind == event.ModelCall && f.Failed && failed:
		return away, away <= sameFailure
	}
	return away, away <= resolution
}

// again reports whether the fact is the same done again, beside or after the call: without
// an id, the key of both is made of their input, and a call that has ended may be held.
func (f *Fact) again(c *table.Call) bool {
	if !f.loose() || f.Source == event.Hook || !c.Over() || !c.Sources().Has(state.SourceOf(f.Source)) {
		return false
	}
	return f.Start > c.Report.End || c.Source == f.Source && f.Start != c.Start
}

// FindFact is the open or held call of that fact, nil if there is none.
func FindFact(s *table.Session, f *Fact) (found *table.Call) {
	if c := s.Calls[f.Key]; c != nil && c.Kind == f.Kind && c.OfAgent() && !f.again(c) {
		return c
	}
	if len(s.Calls) > table.NestedMax {
		return nil
	}
	best := int64(0)
	for _, c := range s.Calls {
		if c.Kind != f.Kind || !c.OfAgent() || !f.loose() && c.GivenToolID() != "" || !c.IsNamed(f.Name) {
			continue
		}
		end := int64(0)
		if c.Over() {
			end = c.Report.End
		}
		away, near := f.apart(c.Start, end, sumOf(c), c.Over() && c.Report.Failed)
		if c.Sources().Has(state.SourceOf(f.Source)) { // by the same source: it is the first that has not ended
			if c.Over() || !f.loose() {
				continue
			}
			away = c.Start - f.Start
		} else if !near {
			continue
		}
		if found == nil || away < best || away == best && table.InOrder(c, found) < 0 {
			found, best = c, away
		}
	}
	return found
}

// sumOf is the [Fact.Sum] of a call.
func sumOf(c *table.Call) uint64 {
	switch {
	case c.Model != nil:
		return c.Model.Usage.Sum()
	case c.Kind == event.ToolCall:
		return c.InputSum
	}
	return 0
}

// FindDone is where the fact is among those that have left, -1 if it is not.
func FindDone(s *table.Session, f *Fact) int { return findDone(s, f, state.SourceOf(f.Source)) }

// findDone is that of a fact that those sources told.
func findDone(s *table.Session, f *Fact, told state.Sources) int {
	if s.Agent == nil {
		return -1
	}
	found, best := -1, int64(0)
	hash, name, unnamed := f.hash(), f.name(), (&Fact{Kind: f.Kind}).name()
	for i := range s.Agent.Done {
		d := &s.Agent.Done[i]
		if d.Key == hash && !f.loose() {
			return i
		}
		if !d.Loose && !f.loose() || d.Name != name && (f.Kind != event.ModelCall || name != unnamed && d.Name != unnamed) || d.Told&told != 0 || told == 0 {
			continue
		}
		if away, near := f.apart(d.Start, d.End, d.Sum, d.Failed); near && (found < 0 || away <= best) {
			found, best = i, away
		}
	}
	return found
}

// editAgent is what is known of the session's agent, to be changed.
func editAgent(s *table.Session) *state.CodingAgent {
	next := *s.Agent
	s.Agent = &next
	return &next
}

// OwnSpans reports whether the agent has spans of its own, or announced some that may
// still come.
func OwnSpans(s *table.Session) bool {
	maker := s.Agent.Maker
	return maker == event.AgentSpan || maker == event.Wire && s.Agent.Expected.Has(state.FromSpans)
}

// about notes what was reported of last: log records are of it.
func about(tx *Tx, c *table.Call) {
	if s := c.Session(); s.Agent == nil || !OwnSpans(s) { // whose spans have other ids
		tx.About = Place{Trace: c.Trace, Span: c.Span}
	}
}

// aboutDone notes the same of something that has left.
func aboutDone(tx *Tx, f *state.Fact) {
	if !f.Trace.IsZero() {
		tx.About.Trace, tx.About.Span = f.Trace, f.Span
	}
}

// AboutDone notes that what was reported last is about what has left.
func (tx Facts) AboutDone(s *table.Session, at int) {
	if at >= 0 {
		aboutDone(tx.Tx, &s.Agent.Done[at])
	}
}

// AboutAgent notes that what was reported last is about the sub-agent with that id, as
// far as that is known.
func (tx Facts) AboutAgent(s *table.Session, id string) {
	if a := OpenAgent(s, id); a != nil {
		tx.About.Trace, tx.About.Span = a.Trace, a.Span
		return
	}
	hash := (&Fact{Kind: event.AgentPrompt, Key: agentFact(id)}).hash()
	for i, d := range slices.Backward(s.Agent.Done) {
		if d.Key == hash {
			tx.AboutDone(s, i)
			return
		}
	}
}

// agentFact is the key of a sub-agent that has ended.
func agentFact(id string) state.CallKey { return state.CallKey{ID: state.GeneratedID + id} }

// Place is a span.
type Place struct {
	Trace identity.TraceID
	Span  identity.SpanID
	// Whole is the session that it is in, if what is reported names another one: that
	// of a sub-agent, which is part of it.
	Whole string
}
