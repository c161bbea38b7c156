package session

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// resolution is how far apart two sources may see the beginning of one turn or sub-agent, in
// ns: what has no id is found by its name and time.
const resolution = int64(2e9)

// deed is one thing that an agent did, as one source tells of it.
type deed struct {
	Kind   event.CallKind
	Key    store.CallKey
	Name   string // of the tool or model
	Start  int64  // Unix ns
	End    int64  // Unix ns, 0 if it only begins, or if its start says more
	Source event.Source
}

// loose reports whether the source gave it no id.
func (d *deed) loose() bool { return strings.HasPrefix(d.Key.ID, store.GeneratedID) }

// keyHash is by what a sub-agent is found once it has left.
func (d *deed) keyHash() uint64 { return xxhash.Sum64String(d.Key.ID) + uint64(d.Kind) }

// nameHash is by what, beside its time, it is found then if its id is another one.
func (d *deed) nameHash() uint64 { return xxhash.Sum64String(d.Name) + uint64(d.Kind) }

// near reports whether two sources may mean the same by these times.
func near(a, b int64) bool { return distance(a, b) <= resolution }

// distance is how far the two are apart, in ns.
func distance(a, b int64) int64 { return max(a-b, b-a) }

// from is how far it is from what began and ended then. Ends say more: not every source
// knows when something began.
func (d *deed) from(start, end int64) int64 {
	if d.End != 0 && end != 0 {
		return distance(d.End, end)
	}
	return distance(d.Start, start)
}

// leftOf is where a sub-agent that those sources told of is among what has left, -1 if it is
// not.
func (d *deed) leftOf(s *store.Session, told store.Sources) int {
	found, best := -1, int64(0)
	for i := range s.Agent.Done {
		f := &s.Agent.Done[i]
		if f.Name != d.nameHash() || f.Reported&told != 0 || told == 0 {
			continue
		}
		if away := d.from(f.Start, f.End); away <= resolution && (found < 0 || away <= best) {
			found, best = i, away
		}
	}
	return found
}
