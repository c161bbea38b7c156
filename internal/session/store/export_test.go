package store

import (
	"github.com/stretchr/testify/require"
)

// TB is what testing.TB and rapid.T have in common.
type TB interface {
	require.TestingT
	Helper()
}

// SweepMax is how much one sweep ends.
const SweepMax = sweepMax

// Session is the latest epoch of the session of that name, nil if there is none.
func (t *Table) Session(name string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.names[BySession][name]; e != nil {
		return e.s
	}
	return nil
}

// Connection is the latest one of that name, nil if there is none.
func (t *Table) Connection(name string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.names[ByConnection][name]; e != nil {
		return e.s
	}
	return nil
}

// Names is how many sessions and connections are known.
func (t *Table) Names() int {
	return len(t.names[BySession]) + len(t.names[ByConnection]) + len(t.names[ByFile])
}

// Held returns the bytes that sessions hold, but for the facts of those that have ended.
func (t *Table) Held() int64 {
	held := t.held
	for n := t.remembered.Front(); n != nil; n = n.Next() {
		held -= n.Value.held
	}
	return held
}

// Busy are open calls by host.
func (t *Table) Busy() map[string]int { return t.busy }

// Evicted is how many sessions wait for a pipeline.
func (t *Table) Evicted() int { return t.evicted.Len() }

// Opened are the calls that the transaction opened and that are reported.
func (tx *Tx) Opened() (calls []*CallRecord) {
	for _, c := range tx.opened {
		if !c.Dropped {
			calls = append(calls, &c.CallRecord)
		}
	}
	return calls
}

// Age orders transactions.
func (tx *Tx) Age() uint64 { return tx.seq }

// MarkAllDirty has all sessions and their calls stored again.
func (t *Table) MarkAllDirty() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.names[BySession] {
		t.dirty.markDirty(e)
		for c := range e.s.EveryCall {
			t.dirty.markDirtyCall(c)
		}
	}
}

// NextSlots are the slots that would be taken next.
func (t *Table) NextSlots(n int) (slots []int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range n {
		var slot int32
		t.dirty.allocSlot(&slot)
		slots = append(slots, slot)
	}
	return slots
}

// Records are what is to be stored of everything there is.
func (t *Table) Records() (all []RecordData) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, names := range t.names {
		for _, e := range names {
			all = append(all, t.dirty.snapshotSession(e).record)
			for c := range e.s.EveryCall {
				all = append(all, t.dirty.snapshotCall(c).record)
			}
		}
	}
	return all
}
