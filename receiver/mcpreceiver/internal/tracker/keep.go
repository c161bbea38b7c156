package tracker

import (
	"math"

	"github.com/fxamacker/cbor/v2"
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
	on      bool     // somebody asks for Changes
	changed []*entry // since they were stored, each once
	vacated []int32  // places whose records are to go
	free    []int32  // places without a record
	last    int32    // the highest place that was ever taken
}

// alter notes that the entry is to be stored again. The caller holds t.mu.
func (t *Tracker) alter(e *entry) {
	if t.keep.on && !e.changed {
		e.changed = true
		t.keep.changed = append(t.keep.changed, e)
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

// Changes are records that are not stored yet. Either Stored or Failed ends them.
type Changes struct {
	Records []Record
	Last    int32 // no record has a higher place

	t       *Tracker
	entries []timed
	calls   []copied
	vacated []int32
}

// copied is a call with what is to be stored of it.
type copied struct {
	*Call
	saved *savedCall
}

// timed is an entry with its times, which others than its owner may move.
type timed struct {
	*entry
	seen, alive int64
}

// Bounds of what Changes take at once.
const (
	changesMax   = 256     // sessions, or calls when all sessions have one
	changesBytes = 4 << 20 // that they hold, about
)

// Changes are some of the sessions and calls that changed since they were asked
// for the last time, nil if there are none; a session that a transaction works on
// has its turn later. They are encoded while nothing else can change them. Only
// one goroutine may use Changes.
func (t *Tracker) Changes() (*Changes, error) {
	tx := t.Begin(0, nil, nil)
	defer tx.Release()
	c := t.takeChanges(tx)
	err := c.encode()
	t.mu.Lock()
	for _, e := range c.entries {
		e.release()
	}
	t.mu.Unlock()
	switch {
	case err != nil:
		c.Failed()
		return nil, err
	case len(c.Records) == 0:
		return nil, nil
	}
	return c, nil
}

// takeChanges claims the entries, and gives all that is to be stored a place.
func (t *Tracker) takeChanges(tx *Tx) *Changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.keep
	c := &Changes{t: t, vacated: k.vacated}
	k.vacated = nil
	var later []*entry
	bytes := int64(0)
	for i, e := range k.changed {
		if len(c.entries) == changesMax || len(c.calls) >= changesMax || bytes > changesBytes {
			later = append(later, k.changed[i:]...)
			break
		}
		switch {
		case t.books[e.book][e.name] != e: // it is forgotten
			e.changed = false
		case e.owner != nil:
			later = append(later, e)
		default:
			e.owner, e.changed = tx, false
			bytes += e.held + c.take(e)
		}
	}
	k.changed = later
	c.Last = k.last
	return c
}

// take takes the entry, and of its calls those that changed. The caller holds t.mu.
func (c *Changes) take(e *entry) (bytes int64) {
	c.t.occupy(&e.place)
	c.entries = append(c.entries, timed{e, e.seen, e.alive})
	for call := range e.s.everyOpen {
		if call.place == 0 || call.changed {
			c.t.occupy(&call.place)
			call.changed = false
			c.calls = append(c.calls, copied{call, call.save()})
			bytes += call.bytes
		}
	}
	return bytes
}

func (c *Changes) encode() error {
	c.Records = make([]Record, 0, len(c.vacated)+len(c.entries)+len(c.calls))
	for _, place := range c.vacated {
		c.Records = append(c.Records, Record{Place: place})
	}
	for _, e := range c.entries {
		v := e.s.save()
		v.Seen, v.Alive = e.seen, e.alive
		if err := c.add(e.place, saved{Format: savedFormat, Session: v}); err != nil {
			return err
		}
	}
	for _, call := range c.calls {
		if err := c.add(call.place, saved{Format: savedFormat, Call: call.saved}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Changes) add(place int32, v saved) error {
	data, err := cbor.Marshal(&v)
	c.Records = append(c.Records, Record{place, data})
	return err
}

// Stored tells that all records are where they belong.
func (c *Changes) Stored() {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	c.t.keep.free = append(c.t.keep.free, c.vacated...)
}

// Failed tells that they are not: they come again with the next.
func (c *Changes) Failed() {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	c.t.keep.vacated = append(c.vacated, c.t.keep.vacated...)
	for _, e := range c.entries {
		c.t.alter(e.entry)
	}
	for _, call := range c.calls {
		call.changed = true
	}
}
