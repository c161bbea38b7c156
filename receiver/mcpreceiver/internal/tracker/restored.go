package tracker

import (
	"cmp"
	"iter"
	"slices"
)

// Restored is what came back from a storage.
type Restored struct {
	Sessions int // that are open
	Calls    int
	Lost     int   // records that could not be read, or belong to nothing
	Err      error // why the first of them could not be read
}

// Restore brings back what [Changes] of another Tracker told, stored until the
// Unix time stored, in ns; from now on this one has Changes to ask for too. It
// must be new. It goes on as if the time since had not passed: nothing could be
// heard in it. The error is that of records: then nothing is brought back.
func (t *Tracker) Restore(records iter.Seq2[Record, error], stored, now int64) (Restored, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := restoring{t: t, gap: max(0, now-stored), taken: map[int32]bool{}}
	for record, err := range records {
		if err != nil {
			t.books, t.keep = [2]map[string]*entry{{}, {}}, keeping{}
			return Restored{}, err
		}
		r.read(record)
	}
	t.keep.on = true
	r.join()
	r.settle()
	r.tidy()
	t.latest = max(t.latest, now)
	t.bound()
	return r.Restored, nil
}

// restoring is the work of Restore, under the Tracker's lock.
type restoring struct {
	Restored
	t       *Tracker
	gap     int64
	taken   map[int32]bool // places
	entries []timed
	found   []foundCall
	calls   []*Call
	asking  []asking
}

// asking is for which calls of the session a person is asked.
type asking struct {
	s    *Session
	keys []savedKey
}

type foundCall struct {
	*savedCall
	place int32
}

func (r *restoring) read(record Record) {
	r.taken[record.Place] = true
	v, err := decodeSaved(record.Data)
	switch {
	case err != nil:
		if r.Err == nil {
			r.Err = err
		}
		r.lose(record.Place)
	case v.Call != nil:
		r.found = append(r.found, foundCall{v.Call, record.Place})
	default:
		r.open(record.Place, v.Session)
	}
}

// lose gives up a record.
func (r *restoring) lose(place int32) {
	r.Lost++
	r.t.vacate(&place)
}

func (r *restoring) open(place int32, v *savedSession) {
	s := v.session(r.gap)
	book := bySession
	if s.Connection {
		book = byConnection
	}
	if r.t.books[book][s.ID] != nil {
		r.lose(place)
		return
	}
	e := r.t.newEntry(book, s.ID)
	e.s, e.place = s, place
	r.entries = append(r.entries, timed{e, v.Seen + r.gap, v.Alive + r.gap})
	if v.Hooks != nil {
		r.asking = append(r.asking, asking{s, v.Hooks.Asking})
	}
}

// join gives the sessions their calls.
func (r *restoring) join() {
	slices.SortFunc(r.found, func(a, b foundCall) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), inOrder(&a.Call, &b.Call), cmp.Compare(a.place, b.place))
	})
	polls := map[*Call]parkKey{}
	for _, f := range r.found {
		if c := r.add(f); c != nil && f.Poll != nil {
			polls[c] = f.Poll.park()
		}
	}
	for c, key := range polls {
		c.poll = c.entry.s.parked[key]
	}
	for _, a := range r.asking {
		for _, key := range a.keys {
			if c := a.s.calls[key.call()]; c != nil {
				a.s.hooks.asking = append(a.s.hooks.asking, c)
			}
		}
	}
}

// add adds a call to its session, if that is open; else it is nil.
func (r *restoring) add(f foundCall) *Call {
	book := bySession
	if f.OfConnection {
		book = byConnection
	}
	e := r.t.books[book][f.Of]
	if e == nil || e.s.ended != 0 {
		r.lose(f.place)
		return nil
	}
	c := f.call(e, r.gap)
	if e.s.calls[c.key()] != nil && c.parked.kind == 0 || e.s.parked[c.parked] != nil {
		r.lose(f.place)
		return nil
	}
	c.place = f.place
	if c.parked.kind != 0 {
		e.s.putParked(c)
	} else {
		e.s.put(c)
	}
	r.calls = append(r.calls, c)
	return c
}

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
