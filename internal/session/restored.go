package session

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

// Restore brings back what [Changes] of other Trackers told; from now on this one
// has Changes to ask for too. It must be new. In all, nothing could be heard in
// away ns until now, a Unix time: time-outs go on as if those had not passed. The
// error is that of records: then nothing is brought back.
func (t *Tracker) Restore(records iter.Seq2[Record, error], away, now int64) (Restored, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := restoring{t: t, away: away, taken: map[int32]bool{}, formers: map[string]*Session{}}
	for record, err := range records {
		if err != nil {
			t.books, t.keep = [2]map[string]*entry{{}, {}}, keeping{}
			return Restored{}, err
		}
		r.read(record)
	}
	r.join()
	r.settle()
	r.tidy()
	t.keep.on, t.keep.away = true, away
	if !t.opt.KeepPayloads || !t.opt.KeepEnvelopes {
		r.cleanse()
	}
	t.latest = max(t.latest, now)
	t.came = limits{t.lru.n, t.calls.n + t.patient.n, t.bytes, t.held}
	t.bound()
	return r.Restored, nil
}

// restoring is the work of Restore, under the Tracker's lock.
type restoring struct {
	Restored
	t       *Tracker
	away    int64
	taken   map[int32]bool // places
	formers map[string]*Session
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
	gap   int64
	place int32
}

// timed is an entry with the times that it had.
type timed struct {
	*entry
	seen, alive int64
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
		v.Call.Arrival += r.away - v.Away // in whose order they come
		r.found = append(r.found, foundCall{v.Call, r.away - v.Away, record.Place})
	default:
		r.open(record.Place, v.Session, r.away-v.Away)
	}
}

// lose gives up a record.
func (r *restoring) lose(place int32) {
	r.Lost++
	r.t.vacate(&place)
}

func (r *restoring) open(place int32, v *savedSession, gap int64) {
	s := v.session(gap, &r.t.opt)
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
	r.entries = append(r.entries, timed{e, v.Seen + gap, v.Alive + gap})
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
	c := f.call(e, f.gap, &r.t.opt)
	if f.Former != nil {
		c.Session = r.former(f.Former)
	}
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

// former is the session of an epoch that is over, once for all its calls.
func (r *restoring) former(v *savedSession) *Session {
	s := r.formers[v.Identity]
	if s == nil {
		s = v.session(0, &r.t.opt)
		r.formers[v.Identity] = s
	}
	return s
}

// cleanse has everything stored again that may hold what is not wanted any more.
func (r *restoring) cleanse() {
	for _, e := range r.entries {
		r.t.alter(e.entry)
	}
	for _, c := range r.calls {
		r.t.alterCall(c)
	}
}
