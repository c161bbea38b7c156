package correlate

import (
	"fmt"
	"testing"
)

// settle changes where time joins nothing.
func settle(tb testing.TB, after, every uint32) {
	tb.Helper()
	wasAfter, wasEvery := settleAfter, settleEvery
	settleAfter, settleEvery = after, every
	tb.Cleanup(func() { settleAfter, settleEvery = wasAfter, wasEvery })
}

// More things at once than the lookback, or than time joins without a break.
func TestDenseReportsAreAFunctionOfTheSet(t *testing.T) {
	r := newRand(t)
	for round := range 12 {
		settle(t, []uint32{512, 8, 3, 100}[round%4], []uint32{256, 4, 1, 8}[round%4])
		reports := story(r, 400, round%2 == 0)
		for i := range reports {
			if round%3 == 0 { // all at one time
				reports[i].Start, reports[i].End = 1_000*second+r.Int64N(second), 0
			}
			reports[i].Name, reports[i].Alias, reports[i].Thread = "Read", "", ""
			if r.IntN(4) > 0 {
				reports[i].IDs = [maxIDs]ID{}
			}
			if round%2 == 0 {
				reports[i].Digest = 0
			}
		}
		facts, totals := oracle(reports)
		s := &Set{}
		order := shuffled(r, reports)
		addAll(s, order)
		if !equalFacts(t, s, facts, totals) {
			shrink(t, order)
			return
		}
	}
}

// After each report the facts are those of the reports so far, also where calls follow each
// other without end.
func TestPrefixesOfDenseReports(t *testing.T) {
	settle(t, 8, 4)
	r := newRand(t)
	for range 10 {
		var reports []Report
		for i := range int64(120) {
			start := 1_000*second + i*second + r.Int64N(second)
			reports = append(reports, Report{Source: Source(1 + r.IntN(2)), Kind: ToolCall, Name: "Read", Start: start, End: start + r.Int64N(3*second)})
		}
		reports = shuffled(r, reports)
		s := &Set{}
		for i := range reports {
			s.Add(&reports[i])
			facts, totals := oracle(reports[:i+1])
			if !equalFacts(t, s, facts, totals) {
				shrink(t, reports[:i+1])
				return
			}
		}
	}
}

// A report costs no more than it may change, however many equal ones there are: pairs that
// each one shifts, and beginnings without an end, come backwards.
func TestWorkForAReportIsBounded(t *testing.T) {
	for _, ends := range []bool{false, true} {
		t.Run(fmt.Sprint("ends ", ends), func(t *testing.T) {
			const n = 2_000
			s, most := &Set{}, 0
			for i := int64(n); i > 0; i-- {
				r := Report{Source: Hook, Kind: ToolCall, Stage: Begin, Name: "Read", Start: 1_000*second + i*second/1000}
				if ends && i%2 == 0 {
					r.Stage, r.End = Whole, r.Start
				}
				before := s.steps
				s.Add(&r)
				s.Commit()
				most = max(most, s.steps-before)
			}
			if each := s.steps / n; each > 2_000 || most > 8_000 {
				t.Errorf("%d steps a report, at most %d", each, most)
			} else {
				t.Logf("%d steps a report, at most %d, %d facts", each, most, s.Len())
			}
		})
	}
}

// Calls one after the other are pairs of beginning and end, however many.
func TestPausesKeepPairsWhole(t *testing.T) {
	const n = 5_000
	s := &Set{}
	for i := range int64(n) {
		start := 1_000*second + i*4*second
		s.Add(&Report{Source: Hook, Kind: ToolCall, Stage: Begin, Name: "Read", Start: start})
		s.Add(&Report{Source: Hook, Kind: ToolCall, Name: "Read", End: start + second})
	}
	if s.Len() != n {
		t.Errorf("%d facts of %d calls", s.Len(), n)
	}
}
