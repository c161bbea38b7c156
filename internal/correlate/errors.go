package correlate

// errorCount caches the errors among the failed facts.
type errorCount struct {
	failed map[uint32]struct{} // facts that are here and failed
	known  bool                // what follows is up to date
	count  int64
	last   failure
}

// failure identifies an error by its end and text.
type failure struct {
	end  int64
	text string
}

// after reports whether it ended later; of equal ones, one makes the result certain.
func (f *failure) after(o *failure) bool { return f.end > o.end || f.end == o.end && f.text > o.text }

// stale notes that a fact changed: it may stand between two that failed.
func (e *errorCount) stale(f *Fact) { e.known = e.known && f.Outcome != Failed && len(e.failed) == 0 }

// parent returns the fact that has the id, none if it is not known.
func (s *Set) parent(id ID) uint32 {
	for kind := Turn; id != 0 && kind < kinds; kind++ {
		holder, best := s.holder(kind, id), uint32(none)
		if holder == none {
			continue
		}
		s.ring(holder, func(seq uint32, a *account) {
			if a.has(id) && (best == none || a.before(s.at(best)) < 0) {
				best = seq
			}
		})
		if best != none {
			return s.at(best).fact
		}
	}
	return none
}

// parentOf returns the fact that a fact is part of, none if it is not known.
func (s *Set) parentOf(first uint32) uint32 {
	if a := s.at(first); a.parent == 0 && a.mate == first {
		return none
	}
	f := s.get(first)
	if p := s.parent(f.Parent); p != first {
		return p
	}
	return none
}

// explain calls f with all facts around a failed one: a failed one of them has its reason.
// It stops where f returns false.
func (s *Set) explain(first uint32, f func(fact uint32) bool) {
	at := s.parentOf(first)
	for at != none && f(at) {
		at = s.parentOf(at)
	}
}

// findErrors counts failed facts that no failed fact below them explains.
func (s *Set) findErrors() {
	e := &s.errors
	if e.known {
		return
	}
	around := make(map[uint32]struct{})
	for first := range e.failed {
		s.explain(first, func(fact uint32) bool {
			_, met := around[fact]
			around[fact] = struct{}{}
			return !met
		})
	}
	e.count, e.last, e.known = 0, failure{}, true
	for first := range e.failed {
		if _, ok := around[first]; ok || s.explained(first) {
			continue
		}
		f := s.get(first)
		e.count++
		if one := (failure{f.ended(), f.Text}); e.count == 1 || one.after(&e.last) {
			e.last = one
		}
	}
}

// explained reports whether a failed fact below the fact was folded.
func (s *Set) explained(first uint32) bool {
	for seq := first; ; {
		a := s.at(seq)
		if a.flags&explained != 0 {
			return true
		}
		if seq = a.mate; seq == first {
			return false
		}
	}
}
