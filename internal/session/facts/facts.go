// Package facts finds the call that a further source reports: among the calls of the
// session that are open or pending, and among those already emitted. Sources
// that give no id are matched by name, time, and what else they know.
package facts

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/layers"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Resolution is how far apart two sources may see the beginning of one fact, in
// ns: what has no id is found by its name and time.
const Resolution = int64(2e9)

// Fact is how one thing that an agent did is found again.
type Fact struct {
	Kind   event.CallKind
	Key    store.CallKey
	Name   string // of the tool or model
	Start  int64  // Unix ns
	End    int64  // Unix ns, 0 if it only begins, or if its start says more
	Source event.Source
	Sum    uint64 // of what else tells two of them apart: the input of a tool, the tokens of a model; 0 if that is not known
	Failed bool
	// Refused says that it did not run, so that it is none that returned, unless an id says so.
	Refused bool
}

// ran reports whether the fact was refused, and the call returned.
func (f *Fact) ran(c *store.Call) bool {
	return f.Refused && f.Loose() && c.Over() && !c.Report.Failed && !c.Report.Unclosed
}

// Loose reports whether the source gave it no id.
func (f *Fact) Loose() bool { return strings.HasPrefix(f.Key.ID, store.GeneratedID) }

// KeyHash is by what it is found once it has left, if the source gave it an id.
func (f *Fact) KeyHash() uint64 { return layers.FactHash(f.Kind, f.Key.ID) }

// NameHash is by what, beside its time, it is found then if there is no id.
func (f *Fact) NameHash() uint64 { return xxhash.Sum64String(f.Name) + uint64(f.Kind) }

// Near reports whether two sources may mean the same by these times.
func Near(a, b int64) bool { return Distance(a, b) <= Resolution }

// Distance is how far the two are apart, in ns.
func Distance(a, b int64) int64 { return max(a-b, b-a) }

// from is how far the fact is from what began and ended then. Ends say more: not
// every source knows when something began.
func (f *Fact) from(start, end int64) int64 {
	if f.End != 0 && end != 0 {
		return Distance(f.End, end)
	}
	return Distance(f.Start, start)
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
		return away/(sameSum/Resolution) - Resolution - 1, true // before what is only near
	case f.Kind == event.ModelCall && sum != 0 && f.Sum != 0: // used something else
		return away, false
	case f.Kind == event.ModelCall && f.Failed && failed:
		return away, away <= sameFailure
	}
	return away, away <= Resolution
}

// again reports whether the fact is the same done again, beside or after the call: without
// an id, the key of both is made of their input, and a call that has ended may be held.
func (f *Fact) again(c *store.Call) bool {
	if f.ran(c) {
		return true
	}
	if !f.Loose() || f.Source == event.Hook || !c.Over() || !c.Sources().Has(store.SourceOf(f.Source)) {
		return false
	}
	return f.Start > c.Report.End || c.Source == f.Source && f.Start != c.Start
}

// Open is the open or held call of that fact, nil if there is none, or if one that
// has left is nearer.
func Open(s *store.Session, f *Fact) (found *store.Call) {
	if c := s.Calls[f.Key]; c != nil && c.Kind == f.Kind && c.OfAgent() && !f.again(c) {
		return c
	}
	if len(s.Calls) > store.NestedMax {
		return nil
	}
	best := int64(0)
	for _, c := range s.Calls {
		if c.Kind != f.Kind || !c.OfAgent() || !f.Loose() && c.GivenToolID() != "" || !c.IsNamed(f.Name) {
			continue
		}
		end, failed := int64(0), false
		if c.Over() {
			end, failed = c.Report.End, c.Report.Failed
		}
		away, near := f.apart(c.Start, end, Sum(c), failed)
		if c.Sources().Has(store.SourceOf(f.Source)) { // by the same source: it is the first that has not ended
			if c.Over() || !f.Loose() {
				continue
			}
			away = c.Start - f.Start
		} else if !near || f.ran(c) {
			continue
		}
		if found == nil || away < best || away == best && store.InOrder(c, found) < 0 {
			found, best = c, away
		}
	}
	if found != nil && f.leftNearer(s, best) {
		return nil
	}
	return found
}

// leftNearer reports whether one that has left is the fact, or nearer to it than away.
func (f *Fact) leftNearer(s *store.Session, away int64) bool {
	at := Left(s, f)
	if at < 0 {
		return false
	}
	d := &s.Agent.Done[at]
	left, _ := f.apart(d.Start, d.End, d.Sum, d.Failed)
	return left < away || !f.Loose() && d.Key == f.KeyHash()
}

// Sum is the [Fact.Sum] of a call.
func Sum(c *store.Call) uint64 {
	switch {
	case c.Model != nil:
		return c.Model.Usage.Fingerprint()
	case c.Kind == event.ToolCall:
		return c.InputSum
	}
	return 0
}

// Left is where the fact is among those that have left, -1 if it is not.
func Left(s *store.Session, f *Fact) int { return LeftOf(s, f, store.SourceOf(f.Source)) }

// LeftOf is that of a fact that those sources told.
func LeftOf(s *store.Session, f *Fact, told store.Sources) int {
	if s.Agent == nil {
		return -1
	}
	found, best := -1, int64(0)
	hash, name, unnamed := f.KeyHash(), f.NameHash(), (&Fact{Kind: f.Kind}).NameHash()
	for i := range s.Agent.Done {
		d := &s.Agent.Done[i]
		if d.Key == hash && !f.Loose() {
			return i
		}
		if !d.Unkeyed && !f.Loose() || d.Name != name && (f.Kind != event.ModelCall || name != unnamed && d.Name != unnamed) || d.Reported&told != 0 || told == 0 || f.Refused && f.Loose() && d.Returned() {
			continue
		}
		if away, near := f.apart(d.Start, d.End, d.Sum, d.Failed); near && (found < 0 || away <= best) {
			found, best = i, away
		}
	}
	return found
}
