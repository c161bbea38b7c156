package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

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
	warmed  uint64 // says nothing
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
	for i := range batch {
		r.warmed ^= r.idx.WarmValue(i, batch[i].value)
		if !r.linkOnly {
			r.warmed ^= r.idx.WarmTrace(i, batch[i].trace)
		}
	}
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
		it.open.Data.place = r.idx.PlaceOfTrace(known, it.trace)
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
		r.learn(it.value, c)
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

// learn is told of a claim, perhaps not for the first time.
func (r *rules) learn(v index.Value, c index.Claim) {
	ticket := r.idx.AddTicket(v, r.now)
	switch known := &ticket.Claim; {
	case !ticket.Claimed:
		ticket.Claim, ticket.Claimed = c, true
	case known.Twice || !c.Twice && known.Site == c.Site:
		return
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
	r.letGo(r.idx.AddTicket(it.value, r.now), it.value, index.Root{Site: it.site(), Seq: it.seq})
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

// decide decides an undecided trace, if need be together with the other replicas.
func (r *rules) decide(t *trace, d index.Decision) {
	switch {
	case t.Data.state != undecided || t.Data.asked:
	case r.shared:
		t.Data.asked = true
		r.asks = append(r.asks, index.Question{Kind: index.AskDecide, Trace: t.ID, Decision: d})
	case r.replicas:
		// Nobody knows what the others decide.
		r.settle(t, t.ID, false)
	default:
		r.apply(t, d)
	}
}

// apply does what was decided.
func (r *rules) apply(t *trace, d index.Decision) {
	t.Data.asked = false
	switch {
	case t.Data.state != undecided:
	case !d.Join:
		r.settle(t, t.ID, false)
	default:
		r.join(t, d)
	}
}

func (r *rules) join(t *trace, d index.Decision) {
	r.dequeue(t)
	t.Data.root, t.Data.parent = d.Root, d.To.Span
	if fate := r.idx.Fate(d.To.Trace, r.now); fate != nil {
		r.settle(t, fate.Final, false)
		return
	}
	to := r.get(d.To.Trace)
	switch {
	case to == nil && r.replicas:
		to = r.ghost(d.To.Trace)
	case to == nil:
		r.settle(t, d.To.Trace, false) // forgotten, so it left long ago
		return
	}
	if top(to) == t {
		r.ring(t, to)
		return
	}
	hang(t, to)
}

// ring is for a trace that would join what is joined to it. Of such a ring one
// trace stays, and the others follow it.
func (r *rules) ring(t, to *trace) {
	stays := least(to)
	stays.Data.cyclic = true
	r.tally.ambiguous[cycle]++
	r.settle(t, stays.ID, false)
}

// ghost stands for a trace of which other replicas know more.
func (r *rules) ghost(id pcommon.TraceID) *trace {
	t := r.win.Stand(id)
	t.Data.ghost = true
	r.idx.AddTrace(id, r.now).Open = t.Handle
	r.ask(index.Question{Kind: index.AskFate, Trace: id}, r.shared)
	return t
}

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

func (r *rules) ask(q index.Question, really bool) {
	if really {
		r.asks = append(r.asks, q)
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
