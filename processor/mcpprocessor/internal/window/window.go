package window

import (
	"iter"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Trace is a trace in the window, with the caller's own Data.
type Trace[T any] struct {
	ID      pcommon.TraceID
	Handle  uint32 // never 0
	Data    T
	Count   int   // waiting spans
	First   int64 // when its first span arrived here
	last    int64 // when its last span arrived here
	spans   *Span // the last one first
	bytes   int64
	byFirst links[T]
	byLast  links[T]
	timed   bool // in both lists
}

// Window is the traces that wait. Each has two deadlines, so there are two lists,
// which are in order by themselves: every trace waits equally long.
type Window[T any] struct {
	traces  []*Trace[T] // by handle
	free    []uint32    // handles
	byFirst list[T]
	byLast  list[T]
	wait    int64
	maxWait int64
	spans   int
	bytes   int64
}

// New returns a window whose traces are due when no span of them arrived for wait,
// and maxWait after their first one at the latest.
func New[T any](wait, maxWait time.Duration) *Window[T] {
	return &Window[T]{
		traces:  make([]*Trace[T], 1),
		byFirst: list[T]{links: func(t *Trace[T]) *links[T] { return &t.byFirst }},
		byLast:  list[T]{links: func(t *Trace[T]) *links[T] { return &t.byLast }},
		wait:    int64(wait),
		maxWait: int64(max(maxWait, wait)),
	}
}

// At returns the trace with this handle, which must be in the window.
func (w *Window[T]) At(handle uint32) *Trace[T] { return w.traces[handle] }

// AddPlaceholder adds a trace without spans, which is never due. The caller finds
// it again by its handle.
func (w *Window[T]) AddPlaceholder(id pcommon.TraceID) *Trace[T] {
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

// Touch records that a span of the trace arrived: from now on the trace is due
// some time, and the wait for its next span starts again.
func (w *Window[T]) Touch(t *Trace[T], now int64) {
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

// Unschedule keeps the trace in the window without a deadline, until its next span
// arrives.
func (w *Window[T]) Unschedule(t *Trace[T]) {
	if t.timed {
		w.byFirst.remove(t)
		w.byLast.remove(t)
		t.timed = false
	}
}

// Remove takes the trace out of the window, and calls leave with each of its spans.
func (w *Window[T]) Remove(t *Trace[T], leave func(*Span)) {
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
func (w *Window[T]) Due(now int64) *Trace[T] {
	if t := w.byLast.first; t != nil && t.last+w.wait <= now {
		return t
	}
	if t := w.byFirst.first; t != nil && t.First+w.maxWait <= now {
		return t
	}
	return nil
}

// Next returns when the next trace is due; false if none is.
func (w *Window[T]) Next() (int64, bool) {
	if w.byFirst.first == nil {
		return 0, false
	}
	return min(w.byLast.first.last+w.wait, w.byFirst.first.First+w.maxWait), true
}

// Oldest returns the trace that has waited longest, nil if none waits.
func (w *Window[T]) Oldest() *Trace[T] { return w.byFirst.first }

// Spans returns how many spans wait.
func (w *Window[T]) Spans() int { return w.spans }

// Bytes returns about how much memory the waiting spans use.
func (w *Window[T]) Bytes() int64 { return w.bytes }

// Len returns how many traces are in the window, those without spans included.
func (w *Window[T]) Len() int { return len(w.traces) - 1 - len(w.free) }

// All iterates over the traces in the window.
func (w *Window[T]) All() iter.Seq[*Trace[T]] {
	return func(yield func(*Trace[T]) bool) {
		for _, t := range w.traces {
			if t != nil && !yield(t) {
				return
			}
		}
	}
}
