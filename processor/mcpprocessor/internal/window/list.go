package window

// place is a trace's place in a list.
type place[T any] struct{ before, after *Trace[T] }

// list is traces in the order in which they were pushed. The links are in the
// traces, so that pushing allocates nothing.
type list[T any] struct {
	first, last *Trace[T]
	of          func(*Trace[T]) *place[T]
}

func (l *list[T]) push(t *Trace[T]) {
	*l.of(t) = place[T]{before: l.last}
	if l.last == nil {
		l.first = t
	} else {
		l.of(l.last).after = t
	}
	l.last = t
}

func (l *list[T]) remove(t *Trace[T]) {
	p := l.of(t)
	if p.before == nil {
		l.first = p.after
	} else {
		l.of(p.before).after = p.after
	}
	if p.after == nil {
		l.last = p.before
	} else {
		l.of(p.after).before = p.before
	}
	*p = place[T]{}
}
