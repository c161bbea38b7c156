package session

import "container/heap"

// deadlines are the open calls that have one, the earliest first. Unlike the
// time-outs, which are one constant each, tasks bring deadlines of their own.
type deadlines []*Call

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].due < d[j].due }

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
	if c.deadline != 0 {
		c.due = c.deadline
		heap.Push(d, c)
	}
}

func (d *deadlines) remove(c *Call) {
	if c.at > 0 {
		heap.Remove(d, c.at-1)
	}
}

// gatherDue claims the entries of the calls whose deadlines have passed, as many
// as one sweep may end. The caller holds t.mu.
func (tx *Tx) gatherDue() (found []*Call) {
	t := tx.t
	var passed []*Call
	for len(t.due) > 0 && t.due[0].due <= tx.now && len(tx.touched) < sweepMax && len(passed) < sweepMax {
		c := t.due[0]
		heap.Pop(&t.due)
		passed = append(passed, c)
		if c.entry.owner == nil {
			tx.own(c.entry)
		}
		if c.entry.owner == tx && c.entry.s.ended == 0 {
			found = append(found, c)
		}
	}
	for _, c := range passed { // they stay until the transaction is committed
		heap.Push(&t.due, c)
	}
	return found
}
