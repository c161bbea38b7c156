package correlate

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// errorCount caches what failed and interrupted facts count by what is around them.
type errorCount struct {
	failed  seqs            // facts that are here and failed
	stopped seqs            // tool calls that are here and were interrupted
	waits   seqs            // facts that are here and waited for a person
	around  map[ID]struct{} // ids of facts around failed ones, known ones and others
	known   bool            // what follows is up to date
	count   int64
	last    failure
	left    int64 // failed facts that were interrupted
	refused int64 // interrupted ones that were refused
}

// seqs is a set of facts.
type seqs struct{ all map[uint32]struct{} }

func (s *seqs) add(first uint32) {
	if s.all == nil {
		s.all = make(map[uint32]struct{})
	}
	s.all[first] = struct{}{}
}

// like returns the set that a fact like this one belongs to, nil if it is none that the
// cache depends on.
func (e *errorCount) like(f *Fact) *seqs {
	switch {
	case f.Outcome == Failed:
		return &e.failed
	case f.Kind == ToolCall && f.Outcome == Interrupted:
		return &e.stopped
	case f.Kind == Wait:
		return &e.waits
	}
	return nil
}

// failure identifies an error by its end and text.
type failure struct {
	end  int64
	text string
}

// after reports whether it ended later; of equal ones, one makes the result certain.
func (f *failure) after(o *failure) bool { return f.end > o.end || f.end == o.end && f.text > o.text }

// stale notes that a fact changed: it may have failed, or be around one that failed.
func (s *Set) stale(f *Fact) {
	e := &s.errors
	e.known = e.known && e.like(f) == nil
	for seq := uint32(f.ID); e.known && len(e.around) > 0; {
		a := s.at(seq)
		for _, id := range a.ids {
			if _, ok := e.around[id]; ok && id != 0 {
				e.known = false
			}
		}
		if seq = a.mate; seq == uint32(f.ID) {
			return
		}
	}
}

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

// maxDepth limits how deep facts lie within each other; ids may make a circle of them.
const maxDepth = 32

// around returns the facts that a fact is part of, the nearest first.
func (s *Set) around(f *Fact) iter.Seq2[uint32, *Fact] {
	return func(yield func(uint32, *Fact) bool) {
		first, at := uint32(f.ID), *f
		for range maxDepth {
			s.errors.around[at.Parent] = struct{}{}
			next := s.parent(at.Parent)
			if next == none || next == first {
				return
			}
			if at = s.get(next); !yield(next, &at) {
				return
			}
		}
	}
}

// explains reports whether a fact around f failed because f did.
func (f *Fact) explains(around *Fact) bool {
	switch {
	case f.Outcome != Failed || around.Outcome != Failed:
		return false
	case f.Text != "" && f.Text == around.Text:
		return true
	case around.ended()-f.ended() > Reach:
		return false
	}
	return f.Kind != ToolCall || contains(around.Text, f.Text) || contains(f.Text, around.Text)
}

// contains reports whether the text has the beginning of the part: both may be cut.
func contains(text, part string) bool {
	return strings.Contains(text, part[:min(len(part), maxText/4)])
}

// explained returns the failed facts of which a failed fact gives the reason.
func (s *Set) explained() map[uint32]struct{} {
	all := make(map[uint32]struct{})
	s.errors.around = make(map[ID]struct{})
	turns := s.failedTurns()
	for first := range s.errors.failed.all {
		f := s.get(first)
		if t := turnOf(turns, &f); t != nil && f.explains(t) {
			all[uint32(t.ID)] = struct{}{}
		}
		for at, around := range s.around(&f) {
			if f.explains(around) {
				all[at] = struct{}{}
			}
		}
		if s.wasExplained(first) || f.Kind == Connection && s.callFailed(&f) {
			all[first] = struct{}{}
		}
	}
	return all
}

// failedTurns returns the turns that failed, by their ends.
func (s *Set) failedTurns() (turns []Fact) {
	for first := range s.errors.failed.all {
		if s.at(first).kind == Turn {
			turns = append(turns, s.get(first))
		}
	}
	slices.SortFunc(turns, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.ended(), b.ended()), cmp.Compare(a.Start, b.Start)) })
	return turns
}

// turnOf returns the turn in which a failed call of the main thread ended that does not say
// which one it is part of, nil if that is none of them.
func turnOf(turns []Fact, f *Fact) *Fact {
	if f.Parent != 0 || !f.Main || f.Kind != ModelCall && f.Kind != ToolCall {
		return nil
	}
	end := f.ended()
	i, _ := slices.BinarySearchFunc(turns, end-Reach, func(t Fact, at int64) int { return cmp.Compare(t.ended(), at) })
	if i == len(turns) || turns[i].Start > end+Reach {
		return nil
	}
	return &turns[i]
}

// callFailed reports whether a call of a tool of the server failed when its connection did.
func (s *Set) callFailed(connection *Fact) bool {
	if connection.Name == "" {
		return false
	}
	for first := range s.errors.failed.all {
		f := s.get(first)
		if d := f.ended() - connection.ended(); f.Kind == ToolCall && -Reach <= d && d <= Reach && strings.Contains(f.Name, connection.Name) {
			return true
		}
	}
	return false
}

// findErrors counts failed facts that no failed fact below them explains, and what a
// person stopped.
func (s *Set) findErrors() {
	e := &s.errors
	if e.known {
		return
	}
	explained := s.explained()
	e.count, e.last, e.left, e.refused, e.known = 0, failure{}, 0, 0, true
	for first := range e.stopped.all {
		if f := s.get(first); s.unanswered(&f) {
			e.refused++
		}
	}
	for first := range e.failed.all {
		if _, ok := explained[first]; !ok {
			f := s.get(first)
			if s.left(&f) {
				e.left++
				continue
			}
			e.count++
			if one := (failure{f.ended(), f.Text}); e.count == 1 || one.after(&e.last) {
				e.last = one
			}
		}
	}
}

// wasExplained reports whether a fact that was folded gives the reason of a failed one, or of
// one that a person stopped.
func (s *Set) wasExplained(first uint32) bool {
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

// left reports whether a tool failed because its turn was over: a person interrupted it.
// Otherwise the model is told of a failure, and the turn ends after that.
func (s *Set) left(f *Fact) bool {
	if f.Kind != ToolCall || f.Outcome != Failed || !f.Main || f.End == 0 {
		return false
	}
	for _, t := range s.around(f) {
		if t.Kind == Turn && t.Sources.Has(Span) && t.Start <= f.Start && t.End != 0 && t.End < f.End && f.End-t.End <= Reach {
			return true
		}
	}
	return false
}

// answerTime is the time in ns that agents take from a person's no to the end of the call.
const answerTime = int64(1e9)

// unanswered reports whether an interrupted call never ran: a person was asked for it,
// and it ended without a yes. That is a no.
func (s *Set) unanswered(f *Fact) bool {
	if f.Verdict == Accepted || f.End == 0 {
		return false
	}
	for first := range s.errors.waits.all {
		if w := s.get(first); f.endsUnanswered(&w) {
			return true
		}
	}
	return s.wasExplained(uint32(f.ID))
}

// endsUnanswered reports whether the call ended while a person was asked by that wait.
func (f *Fact) endsUnanswered(w *Fact) bool {
	return w.Main == f.Main && f.Start <= w.Start+answerTime && w.Start <= f.End && (w.End == 0 || w.End >= f.End-answerTime)
}
