package session

import (
	"math"
)

// Record is a place in a storage, from 1 on, and what is to be there: nothing if
// Data is nil.
type Record struct {
	Place int32
	Data  []byte
}

// keeping is how what is open differs from what is stored of it. The Tracker's
// lock guards it.
type keeping struct {
	on       bool         // somebody asks for Changes
	away     int64        // ns in which nothing could be heard, in all
	sessions list[*entry] // to be stored, the longest changed first
	calls    list[*Call]  // likewise
	lent     []copied     // of sessions that are always in use
	vacated  []int32      // places whose records are to go
	free     []int32      // places without a record
	last     int32        // the highest place that was ever taken
}

// copied is what is to be stored of a session, or with call of a call.
type copied struct {
	entry *entry
	call  *Call
	place int32
	saved saved
}

// alter notes that the entry is to be stored again. The caller holds t.mu.
func (t *Tracker) alter(e *entry) {
	if t.keep.on && e.kept.in == nil && e.life.in != nil {
		t.keep.sessions.moveToBack(&e.kept)
	}
}

// alterCall notes that the call is to be stored again. The caller holds t.mu.
func (t *Tracker) alterCall(c *Call) {
	if t.keep.on && c.kept.in == nil && c.node.in != nil {
		t.keep.calls.moveToBack(&c.kept)
	}
}

// vacate notes that a record is to go, if there is one. The caller holds t.mu.
func (t *Tracker) vacate(place *int32) {
	if *place > 0 {
		t.keep.vacated = append(t.keep.vacated, *place)
		*place = 0
	}
}

// occupy gives a record a place, if it has none. The caller holds t.mu.
func (t *Tracker) occupy(place *int32) {
	k := &t.keep
	switch n := len(k.free); {
	case *place > 0:
	case n > 0:
		*place, k.free = k.free[n-1], k.free[:n-1]
	case k.last < math.MaxInt32:
		k.last++
		*place = k.last
	}
}

// copySession copies the entry's session, which nobody works on or who does is
// about to let go. The caller holds t.mu.
func (t *Tracker) copySession(e *entry) copied {
	e.kept.leave()
	t.occupy(&e.place)
	v := e.s.save()
	v.Seen, v.Alive = e.seen, e.alive
	return copied{e, nil, e.place, saved{Format: savedFormat, Away: t.keep.away, Session: v}}
}

// copyCall does the same with a call.
func (t *Tracker) copyCall(c *Call) copied {
	c.kept.leave()
	t.occupy(&c.place)
	return copied{c.entry, c, c.place, saved{Format: savedFormat, Away: t.keep.away, Call: c.save()}}
}

// lend copies what changed of an entry that was in use when its turn came: who
// worked on it is about to let go. The caller holds t.mu.
func (t *Tracker) lend(e *entry) {
	if !e.wanted {
		return
	}
	e.wanted = false
	if e.kept.in != nil {
		t.keep.lent = append(t.keep.lent, t.copySession(e))
	}
	if e.s == nil {
		return
	}
	for c := range e.s.everyOpen {
		if c.kept.in != nil {
			t.keep.lent = append(t.keep.lent, t.copyCall(c))
		}
	}
}
