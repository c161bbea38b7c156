package session

import (
	"cmp"
	"slices"
)

// settle lines everything up as it was, each list in its order.
func (r *restoring) settle() {
	t := r.t
	slices.SortFunc(r.entries, func(a, b timed) int {
		return cmp.Or(cmp.Compare(a.s.ended, b.s.ended), cmp.Compare(a.seen, b.seen), cmp.Compare(a.place, b.place))
	})
	for _, e := range r.entries {
		t.settle(e.entry)
		e.entry.seen = e.seen
		if e.s.ended == 0 && !e.s.Connection {
			r.Sessions++
		}
	}
	for _, c := range r.calls {
		if t.enlist(c); c.Stuck {
			t.stuck++
		}
	}
	r.Calls = len(r.calls)
	slices.SortStableFunc(r.calls, func(a, b *Call) int { return cmp.Compare(a.moved, b.moved) })
	for _, c := range r.calls {
		if c.still.in != nil {
			t.still.moveToBack(&c.still)
		}
	}
	r.watch()
}

// watch lines up the hosts whose silence would mean something.
func (r *restoring) watch() {
	slices.SortStableFunc(r.entries, func(a, b timed) int { return cmp.Compare(a.alive, b.alive) })
	for _, e := range r.entries {
		if e.watch.in != nil {
			e.entry.alive = e.alive
			r.t.watch.moveToBack(&e.watch)
		}
	}
}

// tidy finds the places that are free.
func (r *restoring) tidy() {
	k := &r.t.keep
	for place := range r.taken {
		k.last = max(k.last, place)
	}
	for place := k.last; place > 0; place-- {
		if !r.taken[place] {
			k.free = append(k.free, place)
		}
	}
}
