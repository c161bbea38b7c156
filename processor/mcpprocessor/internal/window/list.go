package window

// list keeps traces in the order in which they were pushed. The links are in the
// traces, so pushing allocates nothing: a trace is in two lists at a time.
type list[T any] struct {
	first, last *Trace[T]
	links       func(*Trace[T]) *links[T]
}

// links are the neighbours of a trace in a list.
type links[T any] struct{ before, after *Trace[T] }

func (l *list[T]) push(t *Trace[T]) {
	*l.links(t) = links[T]{before: l.last}
	if l.last == nil {
		l.first = t
	} else {
		l.links(l.last).after = t
	}
	l.last = t
}

func (l *list[T]) remove(t *Trace[T]) {
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
	*at = links[T]{}
}
