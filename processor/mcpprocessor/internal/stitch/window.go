package stitch

import (
	"iter"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// trace is a trace that is not resolved. It is in the window.
type trace struct {
	pendingTrace
	ID      pcommon.TraceID
	Handle  uint32       // never 0
	Count   int          // waiting spans
	First   int64        // when its first span arrived here
	last    int64        // when its last span arrived here
	spans   *waitingSpan // the last one first
	bytes   int64
	byFirst neighbours
	byLast  neighbours
	timed   bool // in both lists
}

// window is the traces that wait. Each has two deadlines, so there are two lists,
// which are in order by themselves: every trace waits equally long.
type window struct {
	traces  []*trace // by handle
	free    []uint32 // handles
	byFirst traceList
	byLast  traceList
	wait    int64
	maxWait int64
	spans   int
	bytes   int64
}

// newWindow returns a window whose traces are due when no span of them arrived for wait,
// and maxWait after their first one at the latest.
func newWindow(wait, maxWait time.Duration) *window {
	return &window{
		traces:  make([]*trace, 1),
		byFirst: traceList{links: func(t *trace) *neighbours { return &t.byFirst }},
		byLast:  traceList{links: func(t *trace) *neighbours { return &t.byLast }},
		wait:    int64(wait),
		maxWait: int64(max(maxWait, wait)),
	}
}

// At returns the trace with this handle, which must be in the window.
func (w *window) At(handle uint32) *trace { return w.traces[handle] }

// AddPlaceholder adds a trace without spans, which is never due. The caller finds
// it again by its handle.
func (w *window) AddPlaceholder(id pcommon.TraceID) *trace {
	t := &trace{ID: id}
	if n := len(w.free); n > 0 {
		t.Handle, w.free = w.free[n-1], w.free[:n-1]
		w.traces[t.Handle] = t
		return t
	}
	t.Handle = uint32(len(w.traces)) //nolint:gosec // memory ends first
	w.traces = append(w.traces, t)
	return t
}

// Touch records that a span of the trace arrived: from now on the trace is due
// some time, and the wait for its next span starts again.
func (w *window) Touch(t *trace, now int64) {
	t.last = now
	if t.timed {
		w.byLast.remove(t)
	} else {
		t.timed, t.First = true, now
		w.byFirst.push(t)
	}
	w.byLast.push(t)
}

// Add lets a span wait in its trace, which must be in the window.
func (w *window) Add(t *trace, s *waitingSpan) {
	s.next = t.spans
	t.spans = s
	t.Count++
	t.bytes += int64(s.bytes)
	w.spans++
	w.bytes += int64(s.bytes)
	if s.batch.waiting++; s.batch.waiting == 1 {
		w.bytes += s.batch.bytes
	}
}

// Unschedule keeps the trace in the window without a deadline, until its next span
// arrives.
func (w *window) Unschedule(t *trace) {
	if t.timed {
		w.byFirst.remove(t)
		w.byLast.remove(t)
		t.timed = false
	}
}

// Remove takes the trace out of the window, and calls leave with each of its spans.
func (w *window) Remove(t *trace, leave func(*waitingSpan)) {
	w.traces[t.Handle] = nil
	w.free = append(w.free, t.Handle)
	w.Unschedule(t)
	w.spans -= t.Count
	w.bytes -= t.bytes
	for s := t.spans; s != nil; s = s.next {
		if s.batch.waiting--; s.batch.waiting == 0 {
			w.bytes -= s.batch.bytes
		}
		leave(s)
	}
	t.spans, t.Count, t.bytes = nil, 0, 0
}

// Due returns a trace whose deadline is over, nil if there is none.
func (w *window) Due(now int64) *trace {
	if t := w.byLast.first; t != nil && t.last+w.wait <= now {
		return t
	}
	if t := w.byFirst.first; t != nil && t.First+w.maxWait <= now {
		return t
	}
	return nil
}

// Next returns when the next trace is due; false if none is.
func (w *window) Next() (int64, bool) {
	if w.byFirst.first == nil {
		return 0, false
	}
	return min(w.byLast.first.last+w.wait, w.byFirst.first.First+w.maxWait), true
}

// Oldest returns the trace that has waited longest, nil if none waits.
func (w *window) Oldest() *trace { return w.byFirst.first }

// Spans returns how many spans wait.
func (w *window) Spans() int { return w.spans }

// Bytes returns about how much memory the waiting spans use.
func (w *window) Bytes() int64 { return w.bytes }

// Len returns how many traces are in the window, those without spans included.
func (w *window) Len() int { return len(w.traces) - 1 - len(w.free) }

// All iterates over the traces in the window.
func (w *window) All() iter.Seq[*trace] {
	return func(yield func(*trace) bool) {
		for _, t := range w.traces {
			if t != nil && !yield(t) {
				return
			}
		}
	}
}

// traceList keeps traces in the order in which they were pushed. The links are in the
// traces, so pushing allocates nothing: a trace is in two lists at a time.
type traceList struct {
	first, last *trace
	links       func(*trace) *neighbours
}

// neighbours are the neighbours of a trace in a list.
type neighbours struct{ before, after *trace }

func (l *traceList) push(t *trace) {
	*l.links(t) = neighbours{before: l.last}
	if l.last == nil {
		l.first = t
	} else {
		l.links(l.last).after = t
	}
	l.last = t
}

func (l *traceList) remove(t *trace) {
	at := l.links(t)
	if at.before == nil {
		l.first = at.after
	} else {
		l.links(at.before).after = at.after
	}
	if at.after == nil {
		l.last = at.before
	} else {
		l.links(at.after).before = at.before
	}
	*at = neighbours{}
}

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
