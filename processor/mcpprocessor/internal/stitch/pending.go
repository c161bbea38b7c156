package stitch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

type state uint8

const (
	undecided state = iota
	joined          // to a trace that is not resolved
	resolved
)

// pendingTrace holds what is known about a trace that waits. Traces that joined one
// another are a tree. Its root is the one that is undecided; all of them wait for
// it.
type pendingTrace struct {
	above          *trace // towards the root, by short cuts
	joinedTo       *trace
	child, sibling *trace // the tree
	prev, next     *trace // others that wait for a claim of the same value
	value          Value
	final          pcommon.TraceID
	root, parent   pcommon.SpanID // root is the server's root span
	place          Place          // of the trace
	keyPlace       Place          // of value
	state          state
	served         bool // root and value are known
	queued         bool // waits for a claim of value
	deciding       bool // a decision is being written
	remote         bool // decided by another replica; no span of it is here
	cyclic         bool // refused to join a trace that is joined to it
	claimed        bool // has a claim, so that other traces depend on it
}

func (p *pendingTrace) resolution() Resolution {
	if p.final.IsEmpty() {
		return Resolution{}
	}
	return Resolution{Final: p.final, Root: p.root, Parent: p.parent, Shared: p.claimed || !p.parent.IsEmpty()}
}

// root returns the undecided trace that t waits for, or t itself.
func root(t *trace) *trace {
	for t.above != nil {
		if over := t.above.above; over != nil {
			t.above = over
		}
		t = t.above
	}
	return t
}

// attach joins t, the root of its tree, to another tree.
func attach(t, to *trace) {
	t.state = joined
	t.joinedTo, t.above = to, root(to)
	t.sibling, to.child = to.child, t
}

// lowestID returns the trace with the smallest id on the way from t to its root.
// In a cycle that is the trace that stays, whichever replica looks and in whatever
// order the cycle was closed.
func lowestID(t *trace) *trace {
	lowest := t
	for t = t.joinedTo; t != nil; t = t.joinedTo {
		if string(t.ID[:]) < string(lowest.ID[:]) {
			lowest = t
		}
	}
	return lowest
}

// handle returns 0 for no trace.
func handle(t *trace) uint32 {
	if t == nil {
		return 0
	}
	return t.Handle
}
