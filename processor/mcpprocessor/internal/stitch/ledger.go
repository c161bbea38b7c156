package stitch

import (
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
