package correlate

import (
	"fmt"
	"testing"
)

// A set after Rollback is as if what it took back had never been added.
func TestRollback(t *testing.T) {
	r := newRand(t)
	for round := range 60 {
		most := []int{0, 12}[round%2]
		reports := shuffled(r, story(r, 50+r.IntN(300), round%4 < 2))
		s, straight := &Set{MaxFacts: most}, &Set{MaxFacts: most}
		for len(reports) > 0 {
			n := 1 + r.IntN(min(len(reports), 20))
			batch := reports[:n]
			reports = reports[n:]
			for r.IntN(3) == 0 { // a pipeline refuses, and the sender repeats
				for i := range batch {
					s.Add(&batch[i])
				}
				s.Rollback()
				if got, want := numbers(s), numbers(straight); got != want || s.Seen() != straight.Seen() {
					t.Fatalf("round %d: facts are\n%s, want\n%s", round, got, want)
				}
			}
			for i := range batch {
				s.Add(&batch[i])
				straight.Add(&batch[i])
			}
			s.Commit()
			straight.Commit()
			if !equalFacts(t, s, straight.dump(), fmt.Sprintf("%+v", straight.Totals())) {
				t.Fatalf("round %d", round)
			}
		}
	}
}

func TestRollbackOfNothing(t *testing.T) {
	s := &Set{}
	s.Rollback()
	reports := session(40, true)
	addAll(s, reports)
	want := s.dump()
	s.Rollback()
	if s.dump() != want {
		t.Error("what was committed is gone")
	}
	s.Add(&reports[0])
	s.Rollback()
	if s.dump() != want {
		t.Error("a repeat took something back")
	}
}
