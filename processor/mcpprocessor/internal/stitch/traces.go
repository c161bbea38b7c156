package stitch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// traces are the traces that wait in rewrite mode, and the spans that are about to
// leave. In link mode there are none.
type traces struct {
	*ledger
	win      *window
	outgoing outgoing
	stack    []*trace // scratch of resolve
}

// get returns the trace with this id if it is pending, else nil.
func (ts *traces) get(id pcommon.TraceID) *trace {
	if known := ts.idx.Trace(id, ts.now); known != nil && known.Pending != 0 {
		return ts.win.At(known.Pending)
	}
	return nil
}

// keep lets a span wait, unless its trace was resolved in the meantime.
func (ts *traces) keep(it *item, span *waitingSpan) {
	if resolution, ok := it.resolved(); ok {
		rewrite(span.Span, resolution)
		ts.outgoing.Add(span)
		return
	}
	ts.win.Add(it.pending, span)
}

// enqueue lets t wait for a claim of its value, whose entry and place these are.
func (ts *traces) enqueue(t *trace, entry *KeyEntry, place Place) {
	if entry.Queue != 0 {
		t.next = ts.win.At(entry.Queue)
		t.next.prev = t
	}
	t.queued, entry.Queue = true, t.Handle
	t.keyPlace = place
}

// dequeue undoes enqueue.
func (ts *traces) dequeue(t *trace) {
	if !t.queued {
		return
	}
	if t.next != nil {
		t.next.prev = t.prev
	}
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		ts.idx.KeyAt(t.keyPlace, t.value, ts.now).Queue = handle(t.next)
	}
	t.prev, t.next, t.queued = nil, nil, false
}

// pendingQueries returns a query for each value and each trace that is waited for.
func (ts *traces) pendingQueries() (qs []Query) {
	for t := range ts.win.All() {
		switch {
		case t.remote && t.state == undecided:
			qs = append(qs, Query{Kind: GetDecision, Trace: t.ID})
		case t.queued && t.prev == nil: // once for all that wait for it
			qs = append(qs, Query{Kind: GetClaim, Value: t.value})
		}
	}
	return qs
}
