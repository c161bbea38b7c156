package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// rules decide what becomes of each trace. They are told what is seen, here or
// at another replica, and answer with spans that leave and with questions for
// the shared index. They do no I/O, read no clock and are not safe for
// concurrent use. Everything costs the same however much waits.
type rules struct {
	linkOnly bool
	replicas bool // there is a shared index,
	shared   bool // and it answers

	win     *window.Window[knot]
	idx     *index.Memory
	now     int64
	seq     uint64
	leaving window.Leaving
	asks    []index.Question
	tally   stitchTally
	stack   []*trace
}

// observe tells the rules about a span. What it means for the span itself is
// said by place and link, once all that came with it was observed.
func (r *rules) observe(it *item) {
	r.seq++
	it.seq = r.seq
	if it.is(isShort) {
		r.tally.ambiguous[tooShort]++
	}
	if !r.linkOnly {
		r.open(it)
	}
	if it.is(claims) {
		r.claim(it)
	}
	if it.is(roots) {
		r.root(it)
	}
}

// warm prepares for the batch, whose traces and values are likely to be in no
// cache if much is remembered.
func (r *rules) warm(batch items) {
	r.idx.WarmValues(func(yield func(index.Value) bool) {
		for i := range batch {
			if batch[i].is(claims|serves) && !yield(batch[i].value) {
				return
			}
		}
	})
	if r.linkOnly {
		return
	}
	r.idx.WarmTraces(func(yield func(pcommon.TraceID) bool) {
		for i := range batch {
			if !yield(batch[i].trace) {
				return
			}
		}
	})
}

// open finds the item's trace.
func (r *rules) open(it *item) {
	known := r.idx.AddTrace(it.trace, r.now)
	switch {
	case known.Settled:
		it.fate = known.Fate
		return
	case known.Open == 0 && (it.is(ours) || it.is(roots) && !it.is(serves)):
		it.fate = index.Fate{Final: it.trace}
		known.Fate, known.Settled = it.fate, true
		return
	case known.Open == 0:
		it.open = r.win.Stand(it.trace)
		known.Open = it.open.Handle
		it.open.Data.place = r.idx.PlaceOfTrace()
	default:
		it.open = r.win.At(known.Open)
	}
	r.here(it)
}

// here is for a trace that waits here from now on.
func (r *rules) here(it *item) {
	t := it.open
	if t.Data.ghost || t.First == 0 && t.Count == 0 && !it.is(roots) {
		r.ask(index.Question{Kind: index.AskFate, Trace: t.ID}, r.shared)
	}
	t.Data.ghost = false
	r.win.Touch(t, r.now)
	if it.is(ours) {
		r.part(t)
	}
}

// get is the trace with this id if it is open, else nil.
func (r *rules) get(id pcommon.TraceID) *trace {
	if known := r.idx.Trace(id, r.now); known != nil && known.Open != 0 {
		return r.win.At(known.Open)
	}
	return nil
}

// part settles t as staying even if it is joined already.
func (r *rules) part(t *trace) {
	if t.Data.state == undecided {
		r.settle(t, t.ID, false)
		return
	}
	r.unchanged(t)
}

// claim tells the rules about a client's span with a value.
func (r *rules) claim(it *item) {
	c := index.Claim{Site: it.site(), Seq: it.seq}
	if it.open != nil {
		it.open.Data.claimed = true
	}
	if known := r.known(it.value); !r.shared || known != nil && known.Site == c.Site {
		it.ticket = r.learn(it.value, c)
		return
	}
	// Elsewhere somebody may have claimed it too, so nothing is joined yet.
	r.asks = append(r.asks, index.Question{Kind: index.AskClaim, Value: it.value, Site: c.Site, Seq: c.Seq})
	if fate, ok := it.settled(); ok && !r.linkOnly {
		r.publish(it.trace, fate)
		if known := r.idx.Fate(it.trace, r.now); known != nil {
			known.Shared = true
		}
	}
}

func (r *rules) known(v index.Value) *index.Claim {
	if !r.shared {
		return nil
	}
	return r.idx.Claim(v, r.now)
}

// learn is told of a claim, perhaps not for the first time. It returns where the
// value's ticket is.
func (r *rules) learn(v index.Value, c index.Claim) index.Place {
	ticket := r.idx.AddTicket(v, r.now)
	place := r.idx.PlaceOfTicket()
	switch known := &ticket.Claim; {
	case !ticket.Claimed:
		ticket.Claim, ticket.Claimed = c, true
	case known.Twice || !c.Twice && known.Site == c.Site:
		return place
	default:
		known.Twice, c.Twice = true, true
		r.tally.ambiguous[claimedTwice]++
	}
	for queue := ticket.Queue; queue != 0; {
		t := r.win.At(queue)
		queue = handle(t.Data.next)
		r.dequeue(t)
		r.match(t, c)
	}
	return place
}

// root tells the rules about the root of a trace.
func (r *rules) root(it *item) {
	if r.linkOnly || it.open == nil || it.open.Data.state == settled {
		r.lateRoot(it)
		return
	}
	t := it.open
	switch {
	case t.Data.served || t.Data.state == joined:
		return // the same again
	case !it.is(serves):
		r.settle(t, t.ID, false)
		return
	}
	t.Data.root, t.Data.value, t.Data.served = it.span.SpanID(), it.value, true
	ticket := r.idx.AddTicket(it.value, r.now)
	if ticket.Claimed {
		r.match(t, ticket.Claim)
		return
	}
	r.enqueue(t, ticket)
	r.ask(index.Question{Kind: index.AskClient, Value: it.value}, r.shared)
}

// lateRoot is for a root that cannot be put below anything any more: a client
// may find it and link to it.
func (r *rules) lateRoot(it *item) {
	if !it.is(serves) {
		return
	}
	if fate, _ := it.settled(); !r.linkOnly && fate.Final != it.trace {
		return
	}
	ticket := r.idx.AddTicket(it.value, r.now)
	it.ticket = r.idx.PlaceOfTicket()
	r.letGo(ticket, it.value, index.Root{Site: it.site(), Seq: it.seq})
}

func (r *rules) letGo(ticket *index.Ticket, v index.Value, root index.Root) {
	ticket.Root, ticket.LetGo = root, true
	r.ask(index.Question{Kind: index.AskRoot, Value: v, Site: root.Site}, r.shared)
}

// match is for a trace whose root has the value of a claim.
func (r *rules) match(t *trace, c index.Claim) {
	if c.Twice || c.Trace == t.ID {
		r.settle(t, t.ID, false)
		return
	}
	r.decide(t, index.Decision{Join: true, To: c.Site, Root: t.Data.root})
}

func (r *rules) ask(q index.Question, really bool) {
	if really {
		r.asks = append(r.asks, q)
	}
}
