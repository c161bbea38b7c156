package correlate

import (
	"fmt"
	"testing"
)

// shrink prints the least sequence of reports that fails still.
func shrink(t *testing.T, reports []Report) {
	t.Helper()
	bad := func(reports []Report) bool {
		s := &Set{}
		addAll(s, reports)
		facts, totals := oracle(reports)
		return s.dump() != facts || fmt.Sprintf("%+v", s.Totals()) != totals
	}
	for again := true; again; {
		again = false
		for i := range reports {
			less := append(append([]Report(nil), reports[:i]...), reports[i+1:]...)
			if bad(less) {
				reports, again = less, true
				break
			}
		}
	}
	for i := range reports {
		t.Logf("%+v", reports[i])
	}
}
