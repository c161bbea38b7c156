package activity

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
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
}

func (f *Fact) loose() bool { return strings.HasPrefix(f.Key.ID, state.GeneratedID) }

func (f *Fact) hash() uint64 { return xxhash.Sum64String(f.Key.ID) + uint64(f.Kind) }

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

// FindFact is the open or held call of that fact, nil if there is none.
func FindFact(s *table.Session, f *Fact) (found *table.Call) {
	if c := s.Calls[f.Key]; c != nil && c.Kind == f.Kind && c.OfAgent() {
		return c
	}
	if len(s.Calls) > table.NestedMax {
		return nil
	}
	best := int64(0)
	for _, c := range s.Calls {
		if c.Kind != f.Kind || !c.OfAgent() || !f.loose() && c.GivenToolID() != "" || !isNamed(c, f.Name) {
			continue
		}
		end := int64(0)
		if c.Over() {
			end = c.Report.End
		}
		away := f.from(c.Start, end)
		if c.Sources().Has(state.SourceOf(f.Source)) { // by the same source: it is the first that has not ended
			if c.Over() || !f.loose() {
				continue
			}
			away = c.Start - f.Start
		} else if away > resolution {
			continue
		}
		if found == nil || away < best || away == best && table.InOrder(c, found) < 0 {
			found, best = c, away
		}
	}
	return found
}

// isNamed reports whether a source may mean the call by that name. Copilot's spans have
// {SHA-256 of the MCP server}/{SHA-256 of the tool}.
func isNamed(c *table.Call, name string) bool {
	if c.Target == name || c.Server == "" || len(name) != 2*hashBytes+1 {
		return c.Target == name
	}
	return name == hashed(c.Server)+"/"+hashed(c.ToolName())
}

const hashBytes = 2 * sha256.Size // in hex

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// FindDone is where the fact is among those that have left, -1 if it is not.
func FindDone(s *table.Session, f *Fact) int {
	if s.Agent == nil {
		return -1
	}
	found, best := -1, resolution
	hash, name := f.hash(), f.name()
	for i := range s.Agent.Done {
		d := &s.Agent.Done[i]
		if d.Key == hash && !f.loose() {
			return i
		}
		if !d.Loose && !f.loose() || d.Name != name || d.Told.Has(state.SourceOf(f.Source)) {
			continue
		}
		if away := f.from(d.Start, d.End); away <= best {
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
		tx.About = Place{c.Trace, c.Span}
	}
}

// Place is a span.
type Place struct {
	Trace identity.TraceID
	Span  identity.SpanID
}
