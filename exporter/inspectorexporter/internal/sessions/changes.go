package sessions

import (
	"container/list"
	"encoding/json"
)

// maxRemoved is how many removals are remembered for readers of changes; one
// that is further behind must read all.
const maxRemoved = 1000

// removal is in the list of changes in place of the session.
type removal struct {
	id      string
	version uint64
}

// Change is one session's newest row, as JSON, or that it has none (Row is nil).
type Change struct {
	ID  string
	Row []byte
}

// changelog is the sessions and what was removed, the latest change last.
type changelog struct {
	entries  *list.List // *session and removal
	removals ring[*list.Element]
	version  uint64 // of the latest change
}

// touch makes the session the one that changed last.
func (c *changelog) touch(s *session) {
	c.version++
	s.version, s.json = c.version, nil
	if s.at == nil {
		s.at = c.entries.PushBack(s)
		return
	}
	c.entries.MoveToBack(s.at)
}

// removed puts a removal in the place of the session, and drops the one that was
// maxRemoved before it.
func (c *changelog) removed(s *session) {
	c.entries.Remove(s.at)
	c.version++
	if oldest := c.removals.Add(c.entries.PushBack(removal{s.row.ID, c.version}), maxRemoved); oldest != nil {
		c.entries.Remove(oldest)
	}
}

// after is the first entry that changed after the version, nil if none did.
func (c *changelog) after(version uint64) *list.Element {
	e := c.entries.Back()
	for e != nil && versionOf(e) > version {
		e = e.Prev()
	}
	if e == nil {
		return c.entries.Front()
	}
	return e.Next()
}

func versionOf(e *list.Element) uint64 {
	if s, ok := e.Value.(*session); ok {
		return s.version
	}
	return e.Value.(removal).version
}

func (b *Board) drop(s *session) {
	b.forget(s)
	b.leave(s)
	b.byStart.remove(s)
	b.removed(s)
}

// Version grows with each change.
func (b *Board) Version() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.version
}

// Changes is what changed after the version, each session once, the oldest
// change first, at most limit; upTo is the version to ask with next.
func (b *Board) Changes(after uint64, limit int) (changes []Change, upTo uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.after(after); e != nil && len(changes) < limit; e = e.Next() {
		after = versionOf(e)
		switch v := e.Value.(type) {
		case *session:
			if b.hides(v) {
				changes = append(changes, Change{ID: v.row.ID})
				continue
			}
			changes = append(changes, Change{v.row.ID, b.encode(v)})
		case removal:
			changes = append(changes, Change{ID: v.id})
		}
	}
	return changes, after
}

// encode is the row as JSON; it is kept until the row changes.
func (b *Board) encode(s *session) []byte {
	now := b.time()
	if state, silent := s.row.State, s.row.NoRecordSince; s.json != nil {
		if s.conclude(now); s.row.State == state && s.row.NoRecordSince == silent {
			return s.json
		}
	}
	s.conclude(now)
	s.row.title()
	s.json, _ = json.Marshal(&s.row) // nothing in it can fail
	return s.json
}

// Tick makes known which sessions fell silent.
func (b *Board) Tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.time()
	for _, s := range b.byStart {
		if s.row.EndedAt != 0 {
			continue
		}
		s.conclude(now)
		if now := (shown{s.row.State, s.row.NoRecordSince}); now != s.shown {
			s.shown = now
			b.touch(s)
		}
	}
}
