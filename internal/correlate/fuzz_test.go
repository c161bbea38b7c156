package correlate

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// reportsOf makes reports of any bytes, ten each.
func reportsOf(data []byte) (reports []Report) {
	for ; len(data) >= 10 && len(reports) < 200; data = data[10:] {
		b := data[:10]
		r := Report{
			Source: Source(b[0]), Kind: Kind(b[1]), Stage: Stage(b[2] % 4), Outcome: Outcome(b[2] / 4 % 5), Verdict: Verdict(b[2] >> 6 % 3),
			Start: at(float64(b[3]) / 4), Name: []string{"", "read", "mcp__fs__read", "write"}[b[5]%4], Thread: []string{"", "a"}[b[5]/4%2], AnyThread: b[5]/8%2 == 1,
			Digest: uint64(b[5] >> 6), HasUsage: b[6]%2 == 1, Usage: Usage{Input: int64(b[6] / 64)}, HasCost: b[6]%4 > 1, Cost: float64(b[6] / 16), Priced: b[6]&8 != 0,
			Text: strconv.Itoa(int(b[6] % 3)), Internal: b[6]&4 != 0,
		}
		r.End = r.Start + int64(b[4])*second/8
		if b[4]%5 == 0 {
			r.Start = 0
		}
		for i, id := range b[7:] {
			r.IDs[i] = ID(id)
		}
		r.Parent = ID(b[9])
		reports = append(reports, r)
	}
	return reports
}

// Any reports give the same facts forwards, backwards, twice and after a rollback.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("\x01\x03\x00\x10\x10\x01\x00\x09\x00\x00\x02\x03\x00\x10\x10\x01\x00\x09\x0e\x00\x03\x03\x01\x12\x00\x02\x00\x00\x0e\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		reports := reportsOf(data)
		if linkedTooMany(reports) {
			return
		}
		if len(reports)%2 == 0 {
			settle(t, 3, 2)
		}
		facts, totals := oracle(reports)
		s := &Set{}
		for _, refused := range []bool{true, false} {
			for i := range reports {
				s.Add(&reports[i])
			}
			if refused {
				s.Rollback()
			}
		}
		equalFacts(t, s, facts, totals)
		addAll(s, reports)
		equalFacts(t, s, facts, totals)
		slices.Reverse(reports)
		s = &Set{}
		addAll(s, reports)
		equalFacts(t, s, facts, totals)
		if got, want := s.Len(), int(s.Totals().Facts); got != want {
			t.Errorf("%d facts, the totals have %d", got, want)
		}
	})
}

// linkedTooMany reports whether reports would be refused, or an account would have more ids
// than it keeps: there the order matters.
func linkedTooMany(reports []Report) bool {
	s, given := &Set{}, map[string]map[ID]bool{}
	for i := range reports {
		d, ok := newDraft(&reports[i])
		if ok && s.Add(&reports[i]).Status == Invalid {
			return true
		}
		key := fmt.Sprint(d.source, d.kind, d.ids[0])
		if given[key] == nil {
			given[key] = map[ID]bool{}
		}
		for _, id := range d.ids {
			if given[key][id] = id != 0; len(given[key]) > maxIDs {
				return true
			}
		}
	}
	return false
}
