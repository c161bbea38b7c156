package store

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A sub-agent may be a session of its own in what its agent sends: its id is the
// session's name there. The table knows the sub-agents that its sessions remember,
// so that what such a session reports finds the one that started it.

// kin are sessions by the hashes of the ids of their sub-agents.
type kin map[uint64][]*Entry

// Adopt notes that the session of that name started a sub-agent with that id, as
// far as this transaction is concerned. Others know it by what the session
// remembers once that is committed.
func (tx *Tx) Adopt(id, session string) {
	if id == "" || id == session {
		return
	}
	if tx.adopted == nil {
		tx.adopted = map[uint64]string{}
	}
	tx.adopted[xxhash.Sum64String(id)] = session
}

// ParentOf is the session that started the sub-agent with that id, "" if none is
// known, or several are.
func (tx *Tx) ParentOf(id string) string {
	hash := xxhash.Sum64String(id)
	parent := tx.adopted[hash]
	if parent == "" {
		parent = tx.t.parentOf(hash)
	}
	if parent == id {
		return ""
	}
	return parent
}

// parentOf is the session with the sub-agent of that hash, as of the last commit.
func (t *Table) parentOf(hash uint64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if all := t.parents[hash]; len(all) == 1 {
		return all[0].name
	}
	return ""
}

// recognize lets the sub-agents be found that the entry's session remembers.
func (k kin) recognize(e *Entry) {
	if e.book != BySession || e.s == nil || e.s.Spawned == e.spawned {
		return
	}
	k.disown(e)
	e.spawned = e.s.Spawned
	for hash := range e.spawned.Each {
		if !slices.Contains(k[hash], e) {
			k[hash] = append(k[hash], e)
		}
	}
}

// disown lets them not be found any more.
func (k kin) disown(e *Entry) {
	for hash := range e.spawned.Each {
		all := k[hash]
		all = slices.DeleteFunc(all, func(other *Entry) bool { return other == e })
		if k[hash] = all; len(all) == 0 {
			delete(k, hash)
		}
	}
	e.spawned = nil
}
