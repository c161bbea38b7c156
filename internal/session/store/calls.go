package store

import (
	"cmp"
	"container/heap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// queues are the open calls, in the orders in which something becomes due.
type queues struct {
	calls intrusive.List[*Call] // in order of arrival
	lost  intrusive.List[*Call] // the same, but those whose replies may be lost
	long  intrusive.List[*Call] // the same, but those that may take any time
	kept  intrusive.List[*Call] // what waits for nothing that could come late: turns, and calls that ended and are held
	still intrusive.List[*Call] // of calls, those not reported as stuck, the longest unmoved first
	due   deadlines             // calls that have one
}

// waitingCalls counts the calls that wait for something.
func (q *queues) waitingCalls() int { return q.calls.Len() + q.lost.Len() + q.long.Len() }

// inTheWay are all open calls in the order in which they make room.
func (q *queues) inTheWay() [4]*intrusive.List[*Call] {
	return [...]*intrusive.List[*Call]{&q.lost, &q.calls, &q.kept, &q.long}
}

// openCalls counts the calls that are held.
func (q *queues) openCalls() int { return q.waitingCalls() + q.kept.Len() }

// enlist makes a call that stays open known to the timers. The caller holds t.mu.
func (t *Table) enlist(c *Call) {
	t.lineUp(c)
	t.dirty.markDirtyCall(c)
	t.bytes += c.Bytes
	if c.Busy == "" {
		return
	}
	if t.busy[c.Busy]++; t.busy[c.Busy] == 1 {
		if e := t.names[BySession][c.Busy]; e != nil {
			e.idle.Leave()
		}
	}
}

// lineUp puts a call where it waits to be found late. The caller holds the
// Table's lock.
func (q *queues) lineUp(c *Call) {
	switch {
	case c.Kept():
		q.kept.MoveToBack(&c.node)
		c.progressing.Leave()
	case c.Uncertain:
		q.lost.MoveToBack(&c.node)
		c.progressing.Leave()
	case c.LongRunning():
		q.long.MoveToBack(&c.node)
		c.progressing.Leave()
	default:
		q.calls.MoveToBack(&c.node)
		if !c.Dropped && !c.Stuck {
			q.still.MoveToBack(&c.progressing)
		}
	}
	q.due.set(c)
}

// relist lines a call up again that waits for something else than before. The
// caller holds t.mu.
func (t *Table) relist(c *Call, now int64) {
	if c.node.Listed() {
		c.LastProgress += now - c.ProgressArrival
		c.Arrival, c.ProgressArrival = now, now
		t.lineUp(c)
		t.dirty.markDirtyCall(c)
	}
}

// unlist undoes enlist, if it was done. The caller holds t.mu.
func (t *Table) unlist(c *Call) {
	if !c.node.Listed() {
		return
	}
	t.dirty.freeSlot(&c.slot, &c.lent)
	c.dirty.Leave()
	c.node.Leave()
	c.progressing.Leave()
	t.due.remove(c)
	t.bytes -= c.Bytes
	if c.Stuck {
		t.stuck--
	}
	if c.Busy != "" {
		t.unbusy(c.Busy)
	}
}

// countStuck notes which calls were reported as stuck, and how many of them
// moved. The caller holds t.mu.
func countStuck(tx *Tx) {
	tx.t.stuck += len(tx.stuck) - tx.unstuck
	for _, c := range tx.stuck {
		tx.t.dirty.markDirtyCall(c)
		c.progressing.Leave()
	}
}

// lineUpProgressed puts the calls that moved last among those that may get stuck. The
// caller holds t.mu.
func lineUpProgressed(tx *Tx) {
	t := tx.t
	for _, m := range tx.progressed {
		c := m.call
		c.ProgressArrival, c.LastProgress = tx.now, m.since
		t.dirty.markDirtyCall(c)
		if c.node.In(&t.calls) && !c.Dropped {
			t.still.MoveToBack(&c.progressing)
		}
	}
}

// deadlines are the open calls that have one, the earliest first. Unlike the
// time-outs, which are one constant each, tasks bring deadlines of their own.
type deadlines []*Call

func (d deadlines) Len() int { return len(d) }

// Less implements heap.Interface. What is due at once is in the same order after a restart.
func (d deadlines) Less(i, j int) bool {
	a, b := d[i], d[j]
	return a.due < b.due || a.due == b.due && cmp.Or(InOrder(a, b), cmp.Compare(a.entry.name, b.entry.name)) < 0
}

func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].at, d[j].at = i+1, j+1
}

// Push implements heap.Interface.
func (d *deadlines) Push(x any) {
	c := x.(*Call)
	*d = append(*d, c)
	c.at = len(*d)
}

// Pop implements heap.Interface.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	c := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	c.at = 0
	return c
}

// set puts the call where its deadline belongs, or takes it out if it has none.
func (d *deadlines) set(c *Call) {
	d.remove(c)
	if c.Deadline != 0 {
		c.due = c.Deadline
		heap.Push(d, c)
	}
}

func (d *deadlines) remove(c *Call) {
	if c.at > 0 {
		heap.Remove(d, c.at-1)
	}
}
