// Package intrusive has a doubly linked list of values that bring their own
// node, so that moving one costs no allocation and no search. Neither lists nor
// nodes are safe for concurrent use.
package intrusive

// List is a list; the zero value is empty. It is not to be copied once it has
// nodes.
type List[T any] struct {
	front, back *Node[T]
	n           int
}

// Node is a value's place in at most one list. Value is set before the node is
// put into a list.
type Node[T any] struct {
	prev, next *Node[T]
	in         *List[T]
	Value      T
}

// Front is the first node, nil if there is none.
func (l *List[T]) Front() *Node[T] { return l.front }

// Back is the last node, nil if there is none.
func (l *List[T]) Back() *Node[T] { return l.back }

// Len returns how many nodes there are.
func (l *List[T]) Len() int { return l.n }

// Next is the node behind n, nil if there is none.
func (n *Node[T]) Next() *Node[T] { return n.next }

// Listed reports whether n is in a list.
func (n *Node[T]) Listed() bool { return n.in != nil }

// In reports whether n is in l.
func (n *Node[T]) In(l *List[T]) bool { return n.in == l }

// MoveToBack puts n last, taking it out of whatever list it is in.
func (l *List[T]) MoveToBack(n *Node[T]) {
	if l.back == n {
		return
	}
	n.Leave()
	n.in, n.prev = l, l.back
	if l.back != nil {
		l.back.next = n
	} else {
		l.front = n
	}
	l.back = n
	l.n++
}

// Leave takes n out of its list, if it is in one.
func (n *Node[T]) Leave() {
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
