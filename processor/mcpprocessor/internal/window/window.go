package window

import (
	"iter"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Trace is a trace that waits, with what the caller keeps about it.
type Trace[T any] struct {
	ID     pcommon.TraceID
	Handle uint32 // never 0
	Data   T
	Count  int   // of spans that wait
	First  int64 // when it came here
	last   int64 // when its last span came
	spans  *Span // the last one first
	bytes  int64
	age    place[T]
	rest   place[T]
	open   bool
}

// Window is the traces that wait. Each has two deadlines, so two lists that are
// in order by themselves: every trace waits equally long.
type Window[T any] struct {
	traces  []*Trace[T] // by handle
	free    []uint32    // handles
	age     list[T]     // by First
	rest    list[T]     // by last
	wait    int64
	maxWait int64
	spans   int
	bytes   int64
}

// New makes a window whose traces are due when no span of them came for wait,
// and maxWait after their first one at the latest.
func New[T any](wait, maxWait time.Duration) *Window[T] {
	return &Window[T]{
		traces:  make([]*Trace[T], 1),
		age:     list[T]{of: func(t *Trace[T]) *place[T] { return &t.age }},
		rest:    list[T]{of: func(t *Trace[T]) *place[T] { return &t.rest }},
		wait:    int64(wait),
		maxWait: int64(max(maxWait, wait)),
	}
}

// At is the trace with this handle, which must be in the window.
func (w *Window[T]) At(handle uint32) *Trace[T] { return w.traces[handle] }

// Stand lets something be known about a trace of which nothing came here. It
// is never due. Who finds traces by their ids keeps the handle.
func (w *Window[T]) Stand(id pcommon.TraceID) *Trace[T] {
	t := &Trace[T]{ID: id}
	if n := len(w.free); n > 0 {
		t.Handle, w.free = w.free[n-1], w.free[:n-1]
		w.traces[t.Handle] = t
		return t
	}
	t.Handle = uint32(len(w.traces)) //nolint:gosec // memory ends first
	w.traces = append(w.traces, t)
	return t
}

// Touch says that a span of the trace came, and opens the trace if need be.
func (w *Window[T]) Touch(t *Trace[T], now int64) {
	t.last = now
	if t.open {
		w.rest.remove(t)
	} else {
		t.open, t.First = true, now
		w.age.push(t)
	}
	w.rest.push(t)
}

// Add lets a span wait in its trace, which must be in the window.
func (w *Window[T]) Add(t *Trace[T], s *Span) {
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

// Overdue takes the trace off the lists: it is not due again, but for a span that
// comes, and stays in the window.
func (w *Window[T]) Overdue(t *Trace[T]) {
	if t.open {
		w.age.remove(t)
		w.rest.remove(t)
		t.open = false
	}
}

// Remove takes the trace out of the window; each of its spans is given to leave.
func (w *Window[T]) Remove(t *Trace[T], leave func(*Span)) {
	w.traces[t.Handle] = nil
	w.free = append(w.free, t.Handle)
	w.Overdue(t)
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

// Due is a trace whose deadline is over, nil if there is none.
func (w *Window[T]) Due(now int64) *Trace[T] {
	if t := w.rest.first; t != nil && t.last+w.wait <= now {
		return t
	}
	if t := w.age.first; t != nil && t.First+w.maxWait <= now {
		return t
	}
	return nil
}

// Next is when the next trace is due; false if none waits.
func (w *Window[T]) Next() (int64, bool) {
	if w.age.first == nil {
		return 0, false
	}
	return min(w.rest.first.last+w.wait, w.age.first.First+w.maxWait), true
}

// Oldest is the trace that waits longest, nil if none waits.
func (w *Window[T]) Oldest() *Trace[T] { return w.age.first }

// Spans is how many spans wait.
func (w *Window[T]) Spans() int { return w.spans }

// Bytes is about how much memory the spans that wait take.
func (w *Window[T]) Bytes() int64 { return w.bytes }

// Len is how many traces are in the window, those included of which nothing came.
func (w *Window[T]) Len() int { return len(w.traces) - 1 - len(w.free) }

// All is every trace in the window.
func (w *Window[T]) All() iter.Seq[*Trace[T]] {
	return func(yield func(*Trace[T]) bool) {
		for _, t := range w.traces {
			if t != nil && !yield(t) {
				return
			}
		}
	}
}
