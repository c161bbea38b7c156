package session

// list is a doubly linked list of values that bring their own node, so that
// moving one to the back costs no allocation and no search.
type list[T any] struct {
	front, back *node[T]
	n           int
}

// node is a value's place in at most one list.
type node[T any] struct {
	prev, next *node[T]
	in         *list[T]
	value      T
}

// moveToBack puts n last, taking it out of whatever list it is in.
func (l *list[T]) moveToBack(n *node[T]) {
	if l.back == n {
		return
	}
	n.leave()
	n.in, n.prev = l, l.back
	if l.back != nil {
		l.back.next = n
	} else {
		l.front = n
	}
	l.back = n
	l.n++
}

// leave takes n out of its list, if it is in one.
func (n *node[T]) leave() {
	l := n.in
	if l == nil {
		return
	}
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		l.front = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		l.back = n.prev
	}
	n.in, n.prev, n.next = nil, nil, nil
	l.n--
}
