package correlate

// undo holds an account as it was before a change; was is nil for a new one.
type undo struct {
	seq uint32
	was *draft
}

// note keeps what an account is before it changes.
func (s *Set) note(seq uint32, was *draft) {
	if len(s.undo) == 0 {
		s.seenBefore = s.seen
	}
	u := undo{seq: seq}
	if was != nil {
		d := *was
		u.was = &d
	}
	s.undo = append(s.undo, u)
}

// Rollback takes back all reports since the last Commit: the set is as if they had never
// been added.
func (s *Set) Rollback() {
	if len(s.undo) == 0 {
		return
	}
	s.begin()
	defer s.done()
	seqs := make([]uint32, len(s.undo))
	for i, u := range s.undo {
		seqs[i] = u.seq
	}
	all, end := s.withdraw(seqs), s.end
	for i := len(s.undo) - 1; i >= 0; i-- {
		u := &s.undo[i]
		if u.was != nil {
			u.was.group = s.groupOf(u.was)
			s.write(u.seq, u.was)
			continue
		}
		s.erase(u.seq)
		end = min(end, u.seq)
	}
	s.undo, s.seen = nil, s.seenBefore
	s.admit(all)
	s.shrink(end)
}

// shrink removes the last accounts, which are none.
func (s *Set) shrink(end uint32) {
	for s.end > end {
		last := &s.chunks[len(s.chunks)-1]
		s.end--
		if *last = (*last)[:len(*last)-1]; len(*last) == 0 {
			s.chunks, s.packed, s.dirty = s.chunks[:len(s.chunks)-1], s.packed[:len(s.packed)-1], s.dirty[:len(s.dirty)-1]
			s.plain--
		}
	}
}
