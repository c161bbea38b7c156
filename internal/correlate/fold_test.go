package correlate

import (
	"fmt"
	"testing"
)

// Totals do not change by folding, and only so many facts are kept.
func TestFoldingKeepsTotals(t *testing.T) {
	reports := session(4_000, false)
	for i := range reports {
		if reports[i].Kind == ToolCall && i%50 < 5 {
			reports[i].Outcome, reports[i].Text = Failed, fmt.Sprint("error ", i)
			if i%100 < 5 {
				reports[i].Outcome = Refused
			}
		}
	}
	all, few := &Set{}, &Set{MaxFacts: 100}
	for i := range reports {
		all.Add(&reports[i])
		few.Add(&reports[i])
		few.Commit()
	}
	if few.Len() > 100 {
		t.Errorf("%d facts are kept", few.Len())
	}
	if got, want := few.Totals(), all.Totals(); got != want {
		t.Errorf("totals are\n%+v, want\n%+v", got, want)
	}
	if got, most := few.Bytes(), all.Bytes()/4; got > most {
		t.Errorf("%d bytes, want at most %d", got, most)
	}
	if n := len(few.chunks); n > 4 {
		t.Errorf("%d chunks are kept", n)
	}
}

// What refers to a folded fact is a new fact, and late. The totals of what was folded stay.
func TestReportOfAFoldedFactIsLate(t *testing.T) {
	s := &Set{MaxFacts: 10}
	reports := session(200, false)
	addAll(s, reports)
	before := s.Totals()
	again := reports[0]
	again.Source, again.Outcome = Transcript, OK
	c := s.Add(&again)
	f, _ := s.Get(c.Fact)
	if c.Status != New || !f.Late {
		t.Errorf("change is %+v, fact %+v", c, f)
	}
	if got := s.Totals(); got.ToolCalls != before.ToolCalls+1 {
		t.Errorf("%d tool calls, want %d", got.ToolCalls, before.ToolCalls+1)
	}
	now := reports[len(reports)-1]
	now.IDs[0] = NewID(CallID, "new")
	if f, _ := s.Get(s.Add(&now).Fact); f.Late {
		t.Error("a new call is late")
	}
}

// What is new of a time whose facts were forgotten is late, after a restart too.
func TestReportOfAForgottenTimeIsLate(t *testing.T) {
	s := &Set{}
	s.Forget(at(5))
	s, err := Restore(s.Head(), func(func(uint32, []byte) bool) {})
	if err != nil {
		t.Fatal(err)
	}
	for start, late := range map[int64]bool{at(1): true, at(5): false} {
		c := s.Add(&Report{Source: Hook, Kind: ToolCall, Start: start, End: start})
		if f, _ := s.Get(c.Fact); f.Late != late {
			t.Errorf("late is %t at %d", f.Late, start)
		}
	}
}

// A failure that was folded explains what failed around it still.
func TestFoldedFailureExplains(t *testing.T) {
	s := &Set{MaxFacts: 1}
	turn, call := NewID(PromptID, "t"), NewID(CallID, "c")
	s.Add(&Report{Source: Hook, Kind: Turn, IDs: [maxIDs]ID{turn}, Start: 1 * second, End: 4 * second, Outcome: Failed})
	s.MaxFacts = 3
	s.Add(&Report{Source: Hook, Kind: ToolCall, IDs: [maxIDs]ID{call}, Start: 2 * second, End: 3 * second, Outcome: Failed, Parent: turn, Text: "no"})
	s.begin()
	s.freeze([]uint32{1})
	if !s.wasExplained(0) {
		t.Error("the turn is not explained")
	}
}
