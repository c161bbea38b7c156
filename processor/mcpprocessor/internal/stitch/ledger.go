package stitch

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// ledger holds what both modes know: which client claimed which value, which server
// roots left without one, and what the shared index has yet to be asked. It does
// no I/O and reads no clock, and is not safe for concurrent use. Every call costs
// the same, however much is known.
type ledger struct {
	idx     *Memory
	now     int64 // ns
	seq     uint64
	shared  bool // there is a shared index,
	online  bool // and it answers
	queries []Query
	stats   stats
}

// arrive numbers a span, and counts a value that is too short.
func (l *ledger) arrive(it *item) {
	l.seq++
	it.seq = l.seq
	if it.is(shortValue) {
		l.stats.ambiguous[tooShort]++
	}
}

// ask adds a query, if the shared index answers.
func (l *ledger) ask(q Query) {
	if l.online {
		l.queries = append(l.queries, q)
	}
}

// askClaim asks whether a replica saw another claim of the value, because nothing
// may be joined before that is known. It is false if nobody needs to be asked.
func (l *ledger) askClaim(v Value, c *Claim) bool {
	if !l.online {
		return false
	}
	if known := l.idx.Claim(v, l.now); known != nil && known.SpanRef == c.SpanRef {
		return false
	}
	l.ask(Query{Kind: PutClaim, Value: v, Span: c.SpanRef, Mine: *c})
	return true
}

// recordClaim stores a claim, perhaps not for the first time. It returns the
// value's entry and its place, and reports whether the entry changed.
func (l *ledger) recordClaim(v Value, c *Claim) (*KeyEntry, Place, bool) {
	entry, place := l.idx.AddKey(v, l.now)
	switch known := &entry.Claim; {
	case !entry.HasClaim:
		entry.Claim, entry.HasClaim = *c, true
	case known.Ambiguous || !c.Ambiguous && known.SpanRef == c.SpanRef:
		return entry, place, false
	case !c.Ambiguous && known.Trace == c.Trace:
		before := known.Split
		changed := known.Merge(c)
		if known.Split && !before {
			l.stats.ambiguous[claimedTwice]++
		}
		return entry, place, changed
	default:
		known.Ambiguous = true
		l.stats.ambiguous[claimedTwice]++
	}
	return entry, place, true
}

// recordRoot stores a server's root that stays in its trace, so that a client that
// comes later can link to it.
func (l *ledger) recordRoot(it *item) {
	entry, place := l.idx.AddKey(it.value, l.now)
	it.keyPlace = place
	l.releaseRoot(entry, it.value, Root{SpanRef: it.ref(), Seq: it.seq})
}

func (l *ledger) releaseRoot(entry *KeyEntry, v Value, root Root) {
	entry.Root, entry.HasRoot = root, true
	l.ask(Query{Kind: PutRoot, Value: v, Span: root.SpanRef})
}

// publish stores in the shared index where a trace went.
func (l *ledger) publish(id pcommon.TraceID, r Resolution) {
	l.ask(Query{Kind: PutDecision, Trace: id, Decision: r.Decision(id)})
}

// linkClaim links a client to the root of its value, if that came first and left. Of
// several claims in a trace one is linked.
func (l *ledger) linkClaim(it *item) {
	entry := l.idx.KeyAt(it.keyPlace, it.value, l.now)
	if entry == nil || !entry.HasRoot || entry.HasClaim && (!entry.Claim.Usable() || entry.Claim.SpanRef != it.ref()) {
		return
	}
	if !entry.Linked.IsEmpty() && entry.Linked != it.id {
		return
	}
	if root := entry.Root; root.Seq < it.seq && root.Trace != it.trace {
		entry.Linked = it.id
		l.link(it.span, root.SpanRef)
	}
}

// linkRoot links a server's root to the claim of its value, if that came first.
func (l *ledger) linkRoot(it *item) {
	entry := l.idx.KeyAt(it.keyPlace, it.value, l.now)
	if entry == nil || !entry.HasClaim {
		return
	}
	if c := entry.Claim; c.Usable() && c.Seq < it.seq && c.Trace != it.trace {
		entry.Linked = c.Span
		l.link(it.span, c.SpanRef)
	}
}

// link links to where the other span went, as far as that is known.
func (l *ledger) link(span ptrace.Span, to SpanRef) {
	if resolution := l.idx.Resolution(to.Trace, l.now); resolution != nil {
		to.Trace = resolution.Final
	}
	if addLink(span, to) {
		l.stats.linked++
	}
}

// prefetchKeys prepares for the values of a batch, which are likely to be in no
// cache of the processor if much is known.
func (l *ledger) prefetchKeys(batch items) {
	l.idx.PrefetchKeys(func(yield func(Value) bool) {
		for i := range batch {
			if batch[i].is(claims|serves) && !yield(batch[i].value) {
				return
			}
		}
	})
}

// prefetchTraces does the same for the traces of a batch, once for the spans of a
// trace that come together.
func (l *ledger) prefetchTraces(batch items) {
	l.idx.PrefetchTraces(func(yield func(pcommon.TraceID) bool) {
		for i := range batch {
			if again := i > 0 && batch[i].trace == batch[i-1].trace; !again && !yield(batch[i].trace) {
				return
			}
		}
	})
}

var (
	errFull   = errors.New("stitch: waiting spans reached max_spans or max_bytes, and the next consumer does not accept any; try again")
	errOthers = errors.New("other batches are about to use the rest")
)

// reserve makes room for the spans of the batch that wait: it releases the oldest
// traces, in the end those of the batch itself. An error means that the next
// consumer refused what was released.
func (c *core) reserve(ctx context.Context, batch items) (quota, error) {
	for i := range batch {
		if batch[i].waits {
			batch[i].size = sizeOf(batch[i].span)
		}
	}
	for {
		need, ok, err := c.tryReserve(batch)
		if ok {
			return need, nil
		}
		if err == nil {
			err = c.retries.Flush(ctx)
		}
		if err != nil {
			// Only its text: the spans that it says were refused are not of this batch.
			return quota{}, fmt.Errorf("%w: %s", errFull, err.Error())
		}
	}
}

// tryReserve returns false without an error if there may be room once the next
// consumer accepted what was released, or what it refused before.
func (c *core) tryReserve(batch items) (need quota, ok bool, err error) {
	var stuck bool
	err = c.try(func() {
		need = needed(batch)
		switch {
		case c.fits(need):
			c.reserved.add(need.spans, need.bytes)
			ok = true
		case !c.retries.Waiting(): // or that has to leave first
			stuck = !c.evict(need)
		}
	})
	if stuck {
		err = errors.Join(err, errOthers)
	}
	return need, ok, err
}

// needed returns the quota for the spans of the batch that still wait.
func needed(batch items) (need quota) {
	for i := range batch {
		if it := &batch[i]; it.waits && !it.release() {
			need.add(1, it.size)
		}
	}
	return need
}

func (c *core) fits(need quota) bool {
	need.add(c.retries.Held())
	need.add(c.traces.win.Spans()+c.reserved.spans, c.traces.win.Bytes()+c.reserved.bytes)
	return need.spans <= c.limit.spans && need.bytes <= c.limit.bytes
}

// fewTraces is the number of traces without spans that are released at once.
const fewTraces = 64

// evict releases the oldest traces until there is room, or until the batch needs
// less. It is false if nothing waits.
func (c *core) evict(need quota) bool {
	for i := 0; i < fewTraces && !c.fits(need); {
		before := c.traces.win.Spans()
		if !c.traces.evict() {
			return i > 0 || !c.traces.outgoing.Empty()
		}
		if c.traces.win.Spans() == before {
			i++
		}
	}
	return true
}

// bound releases the oldest traces if there are more than can wait: batches that
// were refused leave traces without spans.
func (c *core) bound() {
	for more := true; more && c.traces.win.Len() > 2*c.limit.spans; {
		more = c.traces.evict()
	}
}

func (c *core) unreserve(q quota) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reserved.add(-q.spans, -q.bytes)
}
