package correlate

import (
	"runtime"
	"testing"
)

// packSoon packs all chunks but the last one at each Commit.
func packSoon(tb testing.TB) {
	tb.Helper()
	wasPlain, wasAfter := plainChunks, packAfter
	plainChunks, packAfter = 1, 0
	tb.Cleanup(func() { plainChunks, packAfter = wasPlain, wasAfter })
}

// The facts are those of the whole set, also when chunks are packed all the time.
func TestPackedChunksAreAsTheyWere(t *testing.T) {
	packSoon(t)
	r := newRand(t)
	for round := range 4 {
		reports := shuffled(r, story(r, 700, round%2 == 0))
		facts, totals := oracle(reports)
		s, d := &Set{}, &disk{}
		addAll(s, reports[:500])
		d.store(t, s)
		if s.plain == len(s.chunks) {
			t.Fatal("no chunk is packed")
		}
		if s.Add(&reports[500]); round == 3 {
			s.Rollback()
		}
		addAll(s, reports[500:])
		equalFacts(t, s, facts, totals)
		s = d.restore(t, 0)
		addAll(s, reports[500:])
		equalFacts(t, s, facts, totals)
		plain := 0
		for _, chunk := range s.chunks {
			if chunk != nil {
				plain++
			}
		}
		if plain != s.plain {
			t.Fatalf("%d chunks are plain, counted are %d", plain, s.plain)
		}
	}
}

func TestFoldingOfPackedChunks(t *testing.T) {
	packSoon(t)
	TestFoldingKeepsTotals(t)
	TestReportOfAFoldedFactIsLate(t)
	TestOnlyChangedChunksAreWritten(t)
}

// A fact of three sources in a long session takes no more than 160 bytes.
func TestMemoryOfAFact(t *testing.T) {
	reports := session(20_000, false)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := &Set{}
	addAll(s, reports)
	runtime.GC()
	runtime.ReadMemStats(&after)
	each, counted := int(after.HeapAlloc-before.HeapAlloc)/s.Len(), int(s.Bytes())/s.Len()
	if each > 160 || counted > 160 {
		t.Errorf("%d bytes a fact, %d by Bytes", each, counted)
	} else {
		t.Logf("%d bytes a fact, %d by Bytes", each, counted)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(reports)
}
