package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// link gives the span a link to its partner if that came before and the two are
// not joined.
func (r *rules) link(it *item) {
	if it.is(claims) {
		r.linkClaim(it)
	}
	if it.is(serves) {
		r.linkRoot(it)
	}
}

func (r *rules) linkClaim(it *item) {
	ticket := r.idx.TicketAt(it.ticket, it.value, r.now)
	if ticket == nil || !ticket.LetGo || ticket.Claimed && ticket.Claim.Twice {
		return
	}
	if root := ticket.Root; root.Seq < it.seq && root.Trace != it.trace {
		r.linkTo(it.span, root.Site)
	}
}

func (r *rules) linkRoot(it *item) {
	if fate, ok := it.settled(); !r.linkOnly && (!ok || fate.Final != it.trace || it.open != nil && it.open.Data.cyclic) {
		return
	}
	ticket := r.idx.TicketAt(it.ticket, it.value, r.now)
	if ticket == nil || !ticket.Claimed {
		return
	}
	if c := ticket.Claim; !c.Twice && c.Seq < it.seq && c.Trace != it.trace {
		r.linkTo(it.span, c.Site)
	}
}

// linkTo links to where the other span went, as far as that is known, unless the
// span came with that link: from who made it, or from here and sent again.
func (r *rules) linkTo(span ptrace.Span, to index.Site) {
	if fate := r.idx.Fate(to.Trace, r.now); fate != nil {
		to.Trace = fate.Final
	}
	if linked(span, to) {
		return
	}
	r.tally.linked++
	link := span.Links().AppendEmpty()
	link.SetTraceID(to.Trace)
	link.SetSpanID(to.Span)
}

func linked(span ptrace.Span, to index.Site) bool {
	for _, link := range span.Links().All() {
		if link.SpanID() == to.Span && link.TraceID() == to.Trace {
			return true
		}
	}
	return false
}

// addOriginal links a root to the ids that it came with.
func addOriginal(span ptrace.Span, old pcommon.TraceID) {
	link := span.Links().AppendEmpty()
	link.SetTraceID(old)
	link.SetSpanID(span.SpanID())
	link.Attributes().PutBool(mcpconv.Original, true)
}
