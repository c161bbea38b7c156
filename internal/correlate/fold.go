package correlate

// DefaultMaxFacts is how many facts of a session are kept.
const DefaultMaxFacts = 20000

// folded are the facts that are not kept: what they added to the totals stays as it is.
type folded struct {
	sums    sums
	errors  int64
	last    failure
	recent  entry
	peak    int64
	horizon int64 // the latest start of one of them: what comes of an earlier time is late
}

// foldOldest folds the oldest facts if there are too many.
func (s *Set) foldOldest() {
	most := s.MaxFacts
	if most <= 0 {
		most = DefaultMaxFacts
	}
	if s.Len() <= most {
		return
	}
	var old []uint32
	for seq := s.first; seq < s.end && len(old) < min(most/8+1, chunkSize); seq++ {
		if a := s.at(seq); a.live() && a.fact == seq {
			old = append(old, seq)
		}
	}
	changed, gone := s.changed, s.gone // of the report that is being added
	s.begin()
	s.changed, s.gone = nil, nil
	s.freeze(old)
	var dead []uint32
	for _, first := range old {
		for at := first; ; {
			dead = append(dead, at)
			if at = s.at(at).mate; at == first {
				break
			}
		}
	}
	for _, seq := range dead {
		s.unplace(seq)
	}
	s.drop(dead)
	for _, c := range s.changes {
		s.align(c)
	}
	s.rebuild()
	s.changed, s.gone = changed, gone
	s.release()
}

// freeze adds facts to what is folded.
func (s *Set) freeze(old []uint32) {
	around := make(map[uint32]int)
	for first := range s.errors.failed {
		s.explain(first, func(fact uint32) bool { around[fact]++; return around[fact] == 1 })
	}
	for _, first := range old {
		f := s.get(first)
		s.folded.sums.add(&f, 1)
		s.folded.horizon = max(s.folded.horizon, f.Start)
		if f.fills() {
			if e := (entry{f.ended(), f.Usage.Input, 0}); e.compare(s.folded.recent) < 0 {
				s.folded.recent = e
			}
			s.folded.peak = max(s.folded.peak, f.Usage.Input)
		}
		if f.Outcome != Failed {
			continue
		}
		s.explain(first, func(fact uint32) bool {
			met := s.explained(fact)
			s.at(fact).flags |= explained
			s.soil(fact)
			return !met
		})
		if around[first] > 0 || s.explained(first) {
			continue
		}
		one := failure{f.ended(), f.Text}
		if s.folded.errors++; s.folded.errors == 1 || one.after(&s.folded.last) {
			s.folded.last = one
		}
	}
}

// drop forgets accounts that are in no order.
func (s *Set) drop(dead []uint32) {
	for _, seq := range dead {
		s.at(seq).flags |= dropped
	}
	for _, seq := range dead {
		a := s.at(seq)
		if !a.live() {
			continue
		}
		var ring, left []uint32
		s.ring(seq, func(o uint32, a *account) {
			ring = append(ring, o)
			if a.flags&dropped == 0 {
				left = append(left, o)
			}
		})
		for i, o := range left {
			s.at(o).next = left[(i+1)%len(left)]
		}
		for _, o := range ring {
			if s.at(o).flags&dropped != 0 {
				s.erase(o, left)
			}
		}
		if len(left) > 0 {
			for _, head := range s.joinIDs(left[0]) {
				s.place(head)
			}
		}
	}
	n := 0
	for _, seq := range s.regroup {
		if s.at(seq).live() {
			s.regroup[n] = seq
			n++
		}
	}
	s.regroup = s.regroup[:n]
}

// erase makes an account none. Its ids find one of those that are left.
func (s *Set) erase(seq uint32, left []uint32) {
	a := s.at(seq)
	for _, id := range a.ids {
		key := idKey(a.kind, id)
		if at, ok := s.index[key]; id == 0 || !ok || at != seq {
			continue
		}
		delete(s.index, key)
		for _, o := range left {
			if s.at(o).has(id) {
				s.index[key] = o
				break
			}
		}
	}
	s.uses.put(a.use, use{}, false)
	s.texts.put(a.text, "", false)
	*a = account{next: seq, thing: seq, root: none, fact: none, mate: seq}
	s.soil(seq)
}

// release gives back the memory of chunks at the front that are empty.
func (s *Set) release() {
	for s.first < s.end && !s.at(s.first).live() {
		s.first++
	}
	for len(s.chunks) > 1 && (s.base+1)*chunkSize <= s.first {
		s.empty = append(s.empty, s.base)
		s.chunks, s.dirty = s.chunks[1:], s.dirty[1:]
		s.base++
	}
}
