package session

import "github.com/fxamacker/cbor/v2"

// Changes are records that are not stored yet. Stored ends them; until then they
// can be stored again and again, and nothing else must be.
type Changes struct {
	Records []Record
	Last    int32 // no record has a higher place
	Taken   int   // of what Changed counts

	t       *Tracker
	copies  []copied
	vacated []int32
	bytes   int64
}

// Bounds of what Changes take at once, which is for how long the Tracker is locked.
const (
	changesMax   = 64      // sessions and calls
	changesBytes = 4 << 20 // that they hold, about
	vacatedMax   = 1024
)

// Changed is how many records are to be stored, or to be taken away.
func (t *Tracker) Changed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keep.sessions.n + t.keep.calls.n + len(t.keep.vacated)
}

// Changes are some of what changed since they were asked for the last time, nil if
// there is nothing. What a transaction works on is copied when that lets go, and
// comes with the next. Only one goroutine may use Changes.
func (t *Tracker) Changes() (*Changes, error) {
	c := &Changes{t: t}
	c.take()
	c.Records = make([]Record, 0, len(c.vacated)+len(c.copies))
	for _, place := range c.vacated {
		c.Records = append(c.Records, Record{Place: place})
	}
	for i := range c.copies {
		data, err := cbor.Marshal(&c.copies[i].saved)
		if err != nil {
			return nil, err
		}
		c.Records = append(c.Records, Record{c.copies[i].place, data})
	}
	if c.copies = nil; len(c.Records) == 0 {
		return nil, nil
	}
	return c, nil
}

// take copies what is to be stored.
func (c *Changes) take() {
	t := c.t
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.keep
	n := min(len(k.vacated), vacatedMax)
	c.vacated, k.vacated = k.vacated[:n:n], k.vacated[n:]
	c.takeLent()
	for n := k.sessions.front; n != nil && c.room(); {
		e, next := n.value, n.next
		if c.mayTake(e) {
			c.add(t.copySession(e), e.held)
		}
		n = next
	}
	for n := k.calls.front; n != nil && c.room(); {
		call, next := n.value, n.next
		if c.mayTake(call.entry) {
			c.add(t.copyCall(call), call.bytes)
		}
		n = next
	}
	c.Taken, c.Last = len(c.copies)+len(c.vacated), k.last
}

// takeLent takes the copies of what is in use, unless it is gone since.
func (c *Changes) takeLent() {
	for _, lent := range c.t.keep.lent {
		place := lent.entry.place
		if lent.call != nil {
			place = lent.call.place
		}
		if place == lent.place {
			c.copies = append(c.copies, lent)
		}
	}
	c.t.keep.lent = nil
}

// mayTake tells whether nobody works on the entry, and asks who does otherwise.
func (c *Changes) mayTake(e *entry) bool {
	e.wanted = e.owner != nil
	return !e.wanted
}

func (c *Changes) room() bool { return len(c.copies) < changesMax && c.bytes < changesBytes }

func (c *Changes) add(v copied, bytes int64) {
	c.copies = append(c.copies, v)
	c.bytes += bytes
}

// Stored tells that all records are where they belong.
func (c *Changes) Stored() {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	c.t.keep.free = append(c.t.keep.free, c.vacated...)
}
