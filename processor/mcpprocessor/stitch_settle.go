package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// settle lets the whole tree go that t is the top of, into the trace final.
func (r *rules) settle(t *trace, final pcommon.TraceID, changeNothing bool) {
	r.stack = append(r.stack[:0], t)
	for len(r.stack) > 0 {
		t := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		for c := t.Data.child; c != nil; c = c.Data.sibling {
			r.stack = append(r.stack, c)
		}
		if changeNothing {
			final = t.ID
		}
		r.finish(t, final, changeNothing)
	}
}

// unchanged lets the whole tree that t is in go as it came.
func (r *rules) unchanged(t *trace) {
	r.each(t, func(head *trace) { r.settle(head, pcommon.TraceID{}, true) })
}

// each calls settle with the top of the tree that t is in; or, when that is a
// ghost, with every trace below it, for nothing came of it that could be settled.
func (r *rules) each(t *trace, settle func(*trace)) {
	head := top(t)
	if !head.Data.ghost {
		settle(head)
		return
	}
	for c := head.Data.child; c != nil; c = head.Data.child {
		head.Data.child = c.Data.sibling
		c.Data.sibling, c.Data.below = nil, nil
		settle(c)
	}
	r.idx.AddTrace(head.ID, r.now).Open = 0
	r.win.Remove(head, nil)
}

// finish lets one trace go.
func (r *rules) finish(t *trace, final pcommon.TraceID, changeNothing bool) {
	k := &t.Data
	r.dequeue(t)
	k.state, k.final = settled, final
	if final == t.ID {
		k.parent = pcommon.SpanID{}
	} else {
		r.tally.stitched++
	}
	fate := k.fate()
	r.idx.Settle(k.place, t.ID, fate, r.now)
	partner, link := r.bid(t, changeNothing)
	if t.Count > 0 {
		r.tally.waited = append(r.tally.waited, r.now-t.First)
	}
	r.win.Remove(t, func(s *window.Span) {
		if final != t.ID {
			rewrite(s.Span, fate)
		}
		if link && s.SpanID() == fate.Root {
			r.linkTo(s.Span, partner)
		}
		r.leaving.Add(s)
	})
	k.up, k.below, k.child = nil, nil, nil
}

// bid says of a trace that stays what others need to know. It returns the claim
// that its root should have followed, if there is one.
func (r *rules) bid(t *trace, changeNothing bool) (to index.Site, link bool) {
	k := &t.Data
	if k.final != t.ID {
		return to, false
	}
	if k.claimed {
		r.publish(t.ID, k.fate())
	}
	if !k.served || k.cyclic {
		return to, false
	}
	ticket := r.idx.AddTicketAt(k.ticket, k.value, r.now)
	if ticket.Claimed && (ticket.Claim.Twice || ticket.Claim.Trace == t.ID) {
		return to, false
	}
	r.letGo(ticket, k.value, index.Root{Site: index.Site{Trace: t.ID, Span: k.root}, Seq: r.seq})
	return ticket.Claim.Site, ticket.Claimed && !changeNothing
}

func (r *rules) publish(id pcommon.TraceID, fate index.Fate) {
	d := index.Decision{Join: fate.Final != id, To: index.Site{Trace: fate.Final, Span: fate.Parent}, Root: fate.Root}
	r.ask(index.Question{Kind: index.AskDecide, Trace: id, Decision: d}, r.shared)
}

// expire is for a trace whose time is over: its tree goes, and the top stays.
func (r *rules) expire(t *trace) {
	if t.Data.state != settled {
		r.tally.expired++
		r.each(t, func(head *trace) { r.settle(head, head.ID, false) })
	}
}

// evict lets the trace that waits longest go, with all that waits with it; it
// returns false if none waits.
func (r *rules) evict() bool {
	t := r.win.Oldest()
	if t == nil {
		return false
	}
	before := r.win.Spans()
	r.unchanged(t)
	r.tally.evicted += int64(before - r.win.Spans())
	return true
}

// dropGhosts forgets the traces that only other replicas know.
func (r *rules) dropGhosts() {
	for t := range r.win.All() {
		if t.Data.ghost {
			r.each(t, func(head *trace) { r.settle(head, head.ID, false) })
		}
	}
}

// rewrite puts a span where its trace belongs; nothing else of it changes.
func rewrite(span ptrace.Span, fate index.Fate) {
	old := span.TraceID()
	if fate.Final == old {
		return
	}
	span.SetTraceID(fate.Final)
	if span.SpanID() == fate.Root && span.ParentSpanID().IsEmpty() {
		addOriginal(span, old)
		span.SetParentSpanID(fate.Parent)
	}
}
