package correlate

// DefaultMaxFacts limits the facts that a set keeps.
const DefaultMaxFacts = 20000

// folded holds the totals of facts that are no longer kept. They never change.
type folded struct {
	sums    sums
	errors  int64
	last    failure
	recent  entry
	peak    int64
	horizon int64 // the latest start of one of them: what comes of an earlier time is late
}

// Forget notes that there were facts until that time that the set does not have: what is new
// of an earlier time is late.
func (s *Set) Forget(until int64) {
	if s.folded == nil {
		s.folded = &folded{}
	}
	s.folded.horizon = max(s.folded.horizon, until)
}

// Commit makes what was added since the last Commit final, and folds the oldest facts if
// there are too many.
func (s *Set) Commit() {
	s.undo = nil
	most := s.MaxFacts
	if most <= 0 {
		most = DefaultMaxFacts
	}
	for s.Len() > most {
		s.foldOldest(max(s.Len()-most, min(most/8, chunkSize)))
	}
	s.packOld()
}

// foldOldest folds so many of the oldest facts.
func (s *Set) foldOldest(n int) {
	var old, dead []uint32
	for seq := s.first; seq < s.end && len(old) < n; seq++ {
		if a := s.at(seq); a.live() && a.fact == seq {
			old = append(old, seq)
		}
	}
	s.begin()
	defer s.done()
	s.freeze(old)
	for _, first := range old {
		for at := first; ; {
			dead = append(dead, at)
			if at = s.at(at).mate; at == first {
				break
			}
		}
	}
	all := s.withdraw(dead)
	for _, seq := range dead {
		s.erase(seq)
	}
	s.admit(all)
	s.release()
}

// freeze adds facts to what is folded.
func (s *Set) freeze(old []uint32) {
	if s.folded == nil {
		s.folded = &folded{}
	}
	reasons := s.explained()
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
		if f.Kind == Wait {
			s.explainStopped(&f)
		}
		if f.Kind == ToolCall && f.Outcome == Interrupted && s.unanswered(&f) {
			s.folded.sums.refusals++
			s.folded.sums.interruptions--
		}
		if f.Outcome != Failed {
			continue
		}
		if s.left(&f) {
			s.folded.sums.interruptions++
			continue
		}
		for at, around := range s.around(&f) {
			if f.explains(around) {
				s.at(at).flags |= explained
				s.soil(at)
			}
		}
		if _, ok := reasons[first]; ok {
			continue
		}
		one := failure{f.ended(), f.Text}
		if s.folded.errors++; s.folded.errors == 1 || one.after(&s.folded.last) {
			s.folded.last = one
		}
	}
}

// explainStopped marks the calls that ended while a person was asked by a wait that is folded.
func (s *Set) explainStopped(w *Fact) {
	for first := range s.errors.stopped.all {
		if f := s.get(first); f.endsUnanswered(w) {
			s.at(first).flags |= explained
			s.soil(first)
		}
	}
}

// release gives back the memory of chunks at the front that are empty.
func (s *Set) release() {
	for s.first < s.end && !s.at(s.first).live() {
		s.first++
	}
	for len(s.chunks) > 1 && (s.base+1)*chunkSize <= s.first {
		s.empty = append(s.empty, s.base)
		if s.chunks[0] != nil {
			s.plain--
		}
		s.chunks, s.packed, s.dirty = s.chunks[1:], s.packed[1:], s.dirty[1:]
		s.base++
	}
}
