package correlate

import (
	"cmp"
	"slices"
)

// maxLinked limits the accounts that ids may link. Real things have five or so.
const maxLinked = 64

// fewAccounts is the most that is searched without an index.
const fewAccounts = 16

// idKey finds an account by one of its ids: equal ids of other kinds of things are others.
func idKey(kind Kind, id ID) uint64 { return uint64(id) ^ uint64(kind)<<56 }

// holder returns an account that has the id, none if there is none.
func (s *Set) holder(kind Kind, id ID) uint32 {
	if id == 0 {
		return none
	}
	if s.index != nil {
		if seq, ok := s.index[idKey(kind, id)]; ok {
			return seq
		}
		return none
	}
	for seq := s.first; seq < s.end; seq++ {
		if a := s.at(seq); a.live() && a.kind == kind && a.has(id) {
			return seq
		}
	}
	return none
}

// indexIDs lets the account be found by its ids.
func (s *Set) indexIDs(seq uint32) {
	if s.index == nil {
		if s.end-s.first <= fewAccounts {
			return
		}
		s.index = make(map[uint64]uint32, 4*fewAccounts)
		for o := s.first; o < s.end; o++ {
			if s.at(o).live() {
				s.indexIDs(o)
			}
		}
		return
	}
	a := s.at(seq)
	for _, id := range a.ids {
		if id == 0 {
			break
		}
		if _, ok := s.index[idKey(a.kind, id)]; !ok {
			s.index[idKey(a.kind, id)] = seq
		}
	}
}

// unindex lets the id find another account that is linked to this one, if one has it.
func (s *Set) unindex(seq uint32, id ID) {
	key := idKey(s.at(seq).kind, id)
	if o, ok := s.index[key]; !ok || o != seq {
		return
	}
	delete(s.index, key)
	s.ring(seq, func(o uint32, a *account) {
		if o != seq && a.has(id) {
			s.index[key] = o
		}
	})
}

// ring calls f with each account that ids link to this one.
func (s *Set) ring(seq uint32, f func(seq uint32, a *account)) {
	for at := seq; ; {
		a := s.at(at)
		next := a.next
		f(at, a)
		if at = next; at == seq {
			return
		}
	}
}

// linkedTo reports whether both accounts are on one ring.
func (s *Set) linkedTo(x, y uint32) (linked bool) {
	s.ring(x, func(o uint32, _ *account) { linked = linked || o == y })
	return linked
}

// link merges the rings of two accounts, unless they are one.
func (s *Set) link(x, y uint32) {
	if !s.linkedTo(x, y) {
		a, b := s.at(x), s.at(y)
		a.next, b.next = b.next, a.next
	}
}

// thing holds the ids and slots of accounts that ids join.
type thing struct {
	ids   [idKinds]ID
	slots uint32
	least uint32 // its account of the best source
}

// agrees reports whether the account does not contradict the thing.
func (t *thing) agrees(o *thing) bool {
	if t.slots&o.slots != 0 {
		return false
	}
	for k, id := range t.ids {
		if id != 0 && o.ids[k] != 0 && id != o.ids[k] {
			return false
		}
	}
	return true
}

// shares reports whether an id is known to both.
func (t *thing) shares(o *thing) bool {
	for k, id := range t.ids {
		if id != 0 && id == o.ids[k] {
			return true
		}
	}
	return false
}

func (t *thing) merge(o *thing) {
	t.slots |= o.slots
	for k, id := range o.ids {
		t.ids[k] = max(t.ids[k], id)
	}
}

func thingOf(seq uint32, a *account) thing {
	t := thing{slots: a.slots(), least: seq}
	for _, id := range a.ids {
		if id != 0 && (t.ids[id.Kind()] == 0 || id == a.ids[0]) {
			t.ids[id.Kind()] = id
		}
	}
	return t
}

// before orders the accounts of one kind whatever order they came in.
func (a *account) before(b *account) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.start, b.start), cmp.Compare(a.ids[0], b.ids[0]))
}

// follow makes the account one of the thing that head leads.
func (s *Set) follow(seq, head uint32) {
	a := s.at(seq)
	if a.up, a.flags = head, a.flags&^leading; seq == head {
		a.up, a.flags = none, a.flags|leading
	}
}

// joinIDs decides which accounts of a ring are one thing, and returns the accounts that
// stand for the things.
func (s *Set) joinIDs(seq uint32) []uint32 {
	ring := s.linked[:0]
	s.ring(seq, func(o uint32, _ *account) { ring = append(ring, o) })
	if len(ring) > 1 {
		slices.SortFunc(ring, func(x, y uint32) int { return s.at(x).before(s.at(y)) })
	}
	things, of := s.things[:0], s.thingOf[:0]
	for _, o := range ring {
		t, into := thingOf(o, s.at(o)), -1
		for i := range things {
			u := &things[i]
			switch {
			case u.least == none || !u.shares(&t) || !u.agrees(&t):
			case into < 0:
				into = i
				u.merge(&t)
				t = *u
			default: // the account links this one too
				things[into].merge(u)
				t = things[into]
				u.least = none
				for j := range of {
					if of[j] == i {
						of[j] = into
					}
				}
			}
		}
		if into < 0 {
			into = len(things)
			things = append(things, t)
		}
		of = append(of, into)
	}
	heads := s.heads[:0]
	for i, o := range ring {
		head := things[of[i]].least
		s.follow(o, head)
		if o == head {
			heads = append(heads, o)
		}
	}
	s.linked, s.things, s.thingOf, s.heads = ring, things, of, heads
	return heads
}
