package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// trace is a trace that is not decided, and whatever is joined to it.
type trace = window.Trace[knot]

type state uint8

const (
	undecided state = iota
	joined          // to a trace that is not decided
	settled
)

// knot is what the rules know about a trace that waits. Traces that are joined
// make a tree, whose top is the one that is undecided; all of them wait for it.
type knot struct {
	up             *trace // towards the top, by short cuts
	below          *trace // joined to this one
	child, sibling *trace // the tree
	prev, next     *trace // others that wait for a claim of the same value
	value          index.Value
	final          pcommon.TraceID
	root, parent   pcommon.SpanID
	place, ticket  index.Place // where the index has the trace and its value
	state          state
	served         bool // value is the root's
	queued         bool // waits for a claim of value
	asked          bool // a decision is being written
	ghost          bool // decided elsewhere, waited for here
	cyclic         bool // refused to join what is joined to it
	claimed        bool // has a claim, so that other traces depend on it
}

func (k *knot) fate() index.Fate {
	if k.final.IsEmpty() {
		return index.Fate{}
	}
	return index.Fate{Final: k.final, Root: k.root, Parent: k.parent, Shared: k.claimed || !k.parent.IsEmpty()}
}

// top is the undecided trace that t waits for, or t itself.
func top(t *trace) *trace {
	for t.Data.up != nil {
		if over := t.Data.up.Data.up; over != nil {
			t.Data.up = over
		}
		t = t.Data.up
	}
	return t
}

// hang joins t, the top of its tree, to another tree.
func hang(t, to *trace) {
	t.Data.state = joined
	t.Data.below, t.Data.up = to, top(to)
	t.Data.sibling, to.Data.child = to.Data.child, t
}

// least is the trace with the smallest id on the way from t down to its top. In
// a ring it is the one that stays, whoever looks and in whatever order it was
// closed.
func least(t *trace) *trace {
	m := t
	for t = t.Data.below; t != nil; t = t.Data.below {
		if string(t.ID[:]) < string(m.ID[:]) {
			m = t
		}
	}
	return m
}

// enqueue lets t wait for a claim of its value, which the ticket is of.
func (r *rules) enqueue(t *trace, ticket *index.Ticket) {
	k := &t.Data
	if ticket.Queue != 0 {
		k.next = r.win.At(ticket.Queue)
		k.next.Data.prev = t
	}
	k.queued, ticket.Queue = true, t.Handle
	k.ticket = r.idx.PlaceOfTicket()
}

// dequeue undoes enqueue.
func (r *rules) dequeue(t *trace) {
	k := &t.Data
	if !k.queued {
		return
	}
	if k.next != nil {
		k.next.Data.prev = k.prev
	}
	if k.prev != nil {
		k.prev.Data.next = k.next
	} else {
		r.idx.TicketAt(k.ticket, k.value, r.now).Queue = handle(k.next)
	}
	k.prev, k.next, k.queued = nil, nil, false
}

// handle is 0 for no trace.
func handle(t *trace) uint32 {
	if t == nil {
		return 0
	}
	return t.Handle
}
