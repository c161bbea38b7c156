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

// Change is one session's newest row, as JSON, or that it is gone (Row is nil).
type Change struct {
	ID  string
	Row []byte
}

// touch makes the session the one that changed last.
func (b *Board) touch(s *session) {
	b.version++
	s.version, s.json = b.version, nil
	b.changed.MoveToBack(s.at)
}

func (b *Board) drop(s *session) {
	delete(b.byID, s.row.ID)
	b.leave(s)
	for _, trace := range s.traces.items {
		delete(b.byTrace, trace)
	}
	for _, id := range s.answers.items {
		delete(b.byAnswer, id)
	}
	for _, id := range s.requests.items {
		delete(b.byRequest, id)
	}
	for i := range b.byStart {
		if b.byStart[i] == s {
			b.byStart = append(b.byStart[:i], b.byStart[i+1:]...)
			break
		}
	}
	b.changed.Remove(s.at)
	b.version++
	b.forget(b.changed.PushBack(removal{s.row.ID, b.version}))
}

// forget drops the removal that was maxRemoved before this one.
func (b *Board) forget(newest *list.Element) {
	if oldest := b.removals.add(newest, maxRemoved); oldest != nil {
		b.changed.Remove(oldest)
	}
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
	e := b.changed.Back()
	for e != nil && versionOf(e) > after {
		e = e.Prev()
	}
	if e == nil {
		e = b.changed.Front()
	} else {
		e = e.Next()
	}
	for ; e != nil && len(changes) < limit; e = e.Next() {
		after = versionOf(e)
		switch v := e.Value.(type) {
		case *session:
			changes = append(changes, Change{v.row.ID, b.encode(v)})
		case removal:
			changes = append(changes, Change{ID: v.id})
		}
	}
	return changes, after
}

func versionOf(e *list.Element) uint64 {
	if s, ok := e.Value.(*session); ok {
		return s.version
	}
	return e.Value.(removal).version
}

// encode is the row as JSON; it is kept until the row changes.
func (b *Board) encode(s *session) []byte {
	now := b.time()
	if state := s.row.State; s.json != nil {
		if s.row.conclude(now); s.row.State == state {
			return s.json
		}
	}
	s.row.title()
	s.row.conclude(now)
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
		if s.row.conclude(now); s.row.State != s.told {
			s.told = s.row.State
			b.touch(s)
		}
	}
}
