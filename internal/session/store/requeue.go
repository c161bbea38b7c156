package store

import (
	"cmp"
	"slices"
)

// lineUp lines everything up as it was, each list in its order.
func (r *restoring) lineUp() {
	t := r.t
	slices.SortFunc(r.entries, func(a, b timed) int {
		return cmp.Or(cmp.Compare(a.s.Ended, b.s.Ended), cmp.Compare(a.seen, b.seen), cmp.Compare(a.slot, b.slot))
	})
	for _, e := range r.entries {
		t.reindex(e.Entry)
		lineUpRevived(t, e.Entry)
		e.Entry.seen = e.seen
		if e.s.Open() && !e.s.Connection {
			r.Sessions++
		}
	}
	for _, c := range r.calls {
		if t.enlist(c); c.Stuck {
			t.stuck++
		}
	}
	r.Calls = len(r.calls)
	slices.SortStableFunc(r.calls, func(a, b *Call) int { return cmp.Compare(a.ProgressArrival, b.ProgressArrival) })
	for _, c := range r.calls {
		if c.progressing.Listed() {
			t.still.MoveToBack(&c.progressing)
		}
	}
	r.lineUpWatched()
}

// lineUpWatched lines up the hosts whose silence would mean something.
func (r *restoring) lineUpWatched() {
	slices.SortStableFunc(r.entries, func(a, b timed) int { return cmp.Compare(a.alive, b.alive) })
	for _, e := range r.entries {
		if e.watch.Listed() {
			e.Entry.alive = e.alive
			r.t.watch[kindOf(e.s)].MoveToBack(&e.watch)
		}
	}
}

// findFree finds the slots that are free.
func (r *restoring) findFree() {
	d := &r.t.dirty
	for slot := range r.slots {
		d.last = max(d.last, slot)
	}
	for slot := d.last; slot > 0; slot-- {
		if !r.slots[slot] {
			d.freeSlots = append(d.freeSlots, slot)
		}
	}
}

// storeAgain has everything stored again that may hold what is not wanted any more.
func (r *restoring) storeAgain() {
	for _, e := range r.entries {
		r.t.dirty.markDirty(e.Entry)
	}
	for _, c := range r.calls {
		r.t.dirty.markDirtyCall(c)
	}
}
