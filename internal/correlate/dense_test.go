package correlate

import "testing"

// More things at once than the lookback.
func TestDenseReportsAreAFunctionOfTheSet(t *testing.T) {
	r := newRand(t)
	for round := range 6 {
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
			return
		}
	}
}
