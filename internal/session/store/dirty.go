package store

import (
	"math"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// dirty holds the difference between what is open and what is stored of it. The Table's lock
// guards it.
type dirty struct {
	on        bool                   // somebody asks for Changes
	always    bool                   // whatever a commit changed comes with the next Changes
	away      int64                  // ns in which nothing could be heard, in all
	sessions  intrusive.List[*Entry] // to be stored, the longest changed first
	calls     intrusive.List[*Call]  // likewise
	lent      []snapshot             // of sessions that are always in use, each once
	vacated   []int32                // slots whose records are to go
	freeSlots []int32                // slots without a record
	last      int32                  // the highest slot that was ever taken
}

// snapshot is a copy of a session, or with call of a call, to be stored.
type snapshot struct {
	entry  *Entry
	call   *Call
	slot   int32
	record RecordData
	facts  *Facts // of the entry's session
	chunks []chunkCopy
}

// markDirty notes that the entry is to be stored again. The caller holds t.mu.
func (d *dirty) markDirty(e *Entry) {
	if d.on && !e.dirty.Listed() && e.life.Listed() {
		d.sessions.MoveToBack(&e.dirty)
	}
}

// markDirtyCall notes that the call is to be stored again. The caller holds t.mu.
func (d *dirty) markDirtyCall(c *Call) {
	if d.on && !c.dirty.Listed() && c.node.Listed() {
		d.calls.MoveToBack(&c.dirty)
	}
}

// freeSlot notes that a record is to go, if there is one, and drops its copy. The
// caller holds t.mu.
func (d *dirty) freeSlot(slot *int32, lent *int) {
	d.dropLent(lent)
	if *slot > 0 {
		d.vacated = append(d.vacated, *slot)
		*slot = 0
	}
}

// allocSlot gives a record a slot, if it has none. The caller holds t.mu.
func (d *dirty) allocSlot(slot *int32) {
	switch n := len(d.freeSlots); {
	case *slot > 0:
	case n > 0:
		*slot, d.freeSlots = d.freeSlots[n-1], d.freeSlots[:n-1]
	case d.last < math.MaxInt32:
		d.last++
		*slot = d.last
	}
}

// snapshotSession copies the entry's session, which nobody works on, or which is
// about to be let go. The caller holds t.mu.
func (d *dirty) snapshotSession(e *Entry) snapshot {
	e.dirty.Leave()
	d.allocSlot(&e.slot)
	v := snapshot{entry: e, slot: e.slot, facts: e.s.Facts, record: RecordData{
		Format: Format, Away: d.away, Session: e.s.Snapshot(), Seen: e.seen, Alive: e.alive, Sign: e.sign,
	}}
	d.snapshotFacts(e, &v)
	return v
}

// snapshotCall does the same with a call.
func (d *dirty) snapshotCall(c *Call) snapshot {
	c.dirty.Leave()
	d.allocSlot(&c.slot)
	r := RecordData{
		Format: Format, Away: d.away,
		Call: c.Snapshot(), Name: c.entry.name, ByConnection: c.entry.book == ByConnection,
	}
	if c.Of != nil && c.Of != &c.entry.s.SessionRecord {
		r.Former = c.Of.Brief()
	}
	return snapshot{entry: c.entry, call: c, slot: c.slot, record: r}
}

// snapshotOnRelease copies what changed of an entry that was in use when its turn
// came, before it is let go. The caller holds t.mu.
func (d *dirty) snapshotOnRelease(e *Entry) {
	if !e.wanted && !d.always {
		return
	}
	every := e.wanted
	e.wanted = false
	if e.dirty.Listed() {
		d.lend(&e.lent, d.snapshotSession(e))
	}
	if !every || e.s == nil {
		return
	}
	for c := range e.s.EveryCall {
		d.lendCall(c)
	}
}

// copyCalls copies those of a commit, if each is to be. The caller holds t.mu.
func (d *dirty) copyCalls(calls []*Call) {
	if !d.always {
		return
	}
	for _, c := range calls {
		d.lendCall(c)
	}
}

// lendCall copies a call if it is to be stored again. The caller holds t.mu.
func (d *dirty) lendCall(c *Call) {
	if c.dirty.Listed() {
		d.lend(&c.lent, d.snapshotCall(c))
	}
}

// lend adds a copy, in the place of the one before that is not collected yet.
// The caller holds t.mu.
func (d *dirty) lend(at *int, v snapshot) {
	if *at == 0 {
		d.lent = append(d.lent, v)
		*at = len(d.lent)
		return
	}
	v.keepChunks(&d.lent[*at-1])
	d.lent[*at-1] = v
}

// dropLent drops a copy that is not collected yet, if there is one. The caller
// holds t.mu.
func (d *dirty) dropLent(at *int) {
	if *at == 0 {
		return
	}
	last := len(d.lent) - 1
	d.lent[*at-1] = d.lent[last]
	*d.lent[last].place() = *at
	d.lent[last] = snapshot{}
	d.lent = d.lent[:last]
	*at = 0
}

// place is where the copy's original has the place of it.
func (v *snapshot) place() *int {
	if v.call != nil {
		return &v.call.lent
	}
	return &v.entry.lent
}

// Record is a slot of a storage, from 1 on, and what is to be there: nothing if
// Data is nil.
type Record struct {
	Slot int32
	Data []byte
}

// Changes are records that are not stored yet. Stored ends them; until then they
// can be stored again and again, and nothing else must be.
type Changes struct {
	Records []Record
	Last    int32 // no record has a higher slot
	Count   int   // of what Changed counts

	t         *Table
	snapshots []snapshot
	vacated   []int32
	bytes     int64
}

// Bounds of what Changes hold at once, which is for how long the Table is locked.
const (
	changesMax   = 64      // sessions and calls
	changesBytes = 4 << 20 // that they hold, about
	vacatedMax   = 1024
)

// Changed counts the records that are to be stored or deleted.
func (t *Table) Changed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.dirty.lent) + t.dirty.sessions.Len() + t.dirty.calls.Len() + len(t.dirty.vacated)
}

// CopyAlways makes each commit copy what it changed, so that Changes has that even
// if another transaction works on it by then. Changes must then be asked for often.
func (t *Table) CopyAlways(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty.always = on
}

// Changes are some of what changed since they were asked for the last time, nil if
// there is nothing. What a transaction works on is copied when that lets go, and
// comes with the next. Only one goroutine may use Changes.
func (t *Table) Changes() (*Changes, error) {
	c := &Changes{t: t}
	c.collect()
	c.Records = make([]Record, 0, len(c.vacated)+len(c.snapshots))
	for _, slot := range c.vacated {
		c.Records = append(c.Records, Record{Slot: slot})
	}
	for i := range c.snapshots {
		data, err := c.snapshots[i].record.Marshal()
		if err != nil {
			return nil, err
		}
		c.Records = append(c.Records, Record{c.snapshots[i].slot, data})
		for _, part := range c.snapshots[i].chunks {
			if data, err = (&RecordData{Format: Format, Part: part.record}).Marshal(); err != nil {
				return nil, err
			}
			c.Records = append(c.Records, Record{part.slot, data})
		}
	}
	if c.snapshots = nil; len(c.Records) == 0 {
		return nil, nil
	}
	return c, nil
}

// collect copies what is to be stored.
func (c *Changes) collect() {
	t := c.t
	t.mu.Lock()
	defer t.mu.Unlock()
	d := &t.dirty
	n := min(len(d.vacated), vacatedMax)
	c.vacated, d.vacated = d.vacated[:n:n], d.vacated[n:]
	c.collectLent()
	for n := d.sessions.Front(); n != nil && c.room(); {
		e, next := n.Value, n.Next()
		if c.unclaimed(e) {
			c.add(d.snapshotSession(e), e.held)
		}
		n = next
	}
	for n := d.calls.Front(); n != nil && c.room(); {
		call, next := n.Value, n.Next()
		if c.unclaimed(call.entry) {
			c.add(d.snapshotCall(call), call.Bytes)
		}
		n = next
	}
	c.Count, c.Last = len(c.snapshots)+len(c.vacated), d.last
}

// collectLent adds the copies of what is in use. Those of what is gone were
// dropped with its slot.
func (c *Changes) collectLent() {
	lent := c.t.dirty.lent
	for _, copied := range lent {
		*copied.place() = 0
	}
	c.snapshots = append(c.snapshots, lent...)
	c.t.dirty.lent = nil
}

// unclaimed reports whether nobody works on the entry, and asks for a copy otherwise.
func (c *Changes) unclaimed(e *Entry) bool {
	e.wanted = e.owner != nil
	return !e.wanted
}

func (c *Changes) room() bool { return len(c.snapshots) < changesMax && c.bytes < changesBytes }

func (c *Changes) add(v snapshot, bytes int64) {
	c.snapshots = append(c.snapshots, v)
	c.bytes += bytes
}

// Stored reports that all records are where they belong.
func (c *Changes) Stored() {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	c.t.dirty.freeSlots = append(c.t.dirty.freeSlots, c.vacated...)
}
