package correlate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"testing"
)

// disk holds a stored set.
type disk struct {
	head   []byte
	chunks map[uint32][]byte
}

// store writes what changed, and returns how many records that were.
func (d *disk) store(tb testing.TB, s *Set) (written int) {
	tb.Helper()
	if d.chunks == nil {
		d.chunks = map[uint32][]byte{}
	}
	err := s.Changed(func(chunk uint32, record []byte) error {
		written++
		if d.chunks[chunk] = record; record == nil {
			delete(d.chunks, chunk)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	d.head = s.Head()
	return written
}

func (d *disk) restore(tb testing.TB, most int) *Set {
	tb.Helper()
	s, err := Restore(d.head, maps.All(d.chunks))
	if err != nil {
		tb.Fatal(err)
	}
	s.MaxFacts = most
	return s
}

func numbers(s *Set) string {
	var all []FactID
	s.All(func(f *Fact) { all = append(all, f.ID) })
	return fmt.Sprint(all)
}

// A set that is stored and restored at any time goes on as one that never was, also when
// only what changed was written and when facts are folded.
func TestRestartsChangeNothing(t *testing.T) {
	r := newRand(t)
	for round := range 40 {
		most := []int{0, 10}[round%2]
		reports := shuffled(r, story(r, 100+r.IntN(500), round%4 < 2))
		straight, s, d := &Set{MaxFacts: most}, &Set{MaxFacts: most}, &disk{}
		for i := range reports {
			straight.Add(&reports[i])
			straight.Commit()
			s.Add(&reports[i])
			s.Commit()
			if r.IntN(60) == 0 {
				d.store(t, s)
				if r.IntN(2) == 0 {
					s = d.restore(t, most)
				}
				if got, want := numbers(s), numbers(straight); got != want {
					t.Fatalf("round %d: after %d reports facts are\n%s, want\n%s", round, i, got, want)
				}
			}
		}
		d.store(t, s)
		s = d.restore(t, most)
		if !equalFacts(t, s, straight.dump(), fmt.Sprintf("%+v", straight.Totals())) {
			t.Fatalf("round %d", round)
		}
	}
}

// What is written is what changed.
func TestOnlyChangedChunksAreWritten(t *testing.T) {
	s, d := &Set{}, &disk{}
	reports := session(5_000, false)
	addAll(s, reports)
	if n := d.store(t, s); n < 10 {
		t.Fatalf("%d chunks for %d facts", n, s.Len())
	}
	if n := d.store(t, s); n != 0 {
		t.Errorf("%d chunks written though nothing changed", n)
	}
	s.Add(&reports[0])
	if n := d.store(t, s); n != 0 {
		t.Errorf("%d chunks written for a repeat", n)
	}
	more := reports[0]
	more.Source = Transcript
	s.Add(&more)
	if n := d.store(t, s); n != 1 {
		t.Errorf("%d chunks written for one report", n)
	}
	failed := errors.New("disk is full")
	more.Source = Wire
	s.Add(&more)
	if err := s.Changed(func(uint32, []byte) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error is %v", err)
	}
	if n := d.store(t, s); n != 1 {
		t.Errorf("%d chunks written after a failure", n)
	}
	size := 0
	for _, record := range d.chunks {
		size += len(record)
	}
	if each := size / s.Len(); each > 160 {
		t.Errorf("%d bytes a fact stored", each)
	} else {
		t.Logf("%d bytes a fact stored", each)
	}
}

func TestDamagedRecordsAreErrors(t *testing.T) {
	s, d := &Set{}, &disk{}
	addAll(s, session(300, false))
	d.store(t, s)
	for chunk, record := range d.chunks {
		for cut := range len(record) - 1 {
			bad := maps.Clone(d.chunks)
			bad[chunk] = record[:cut]
			if got, err := Restore(d.head, maps.All(bad)); err == nil && got.Len() >= s.Len() {
				t.Fatalf("chunk %d cut at %d is taken", chunk, cut)
			}
		}
	}
	if _, err := Restore(nil, maps.All(d.chunks)); err == nil {
		t.Error("no head is taken")
	}
}

func FuzzRestore(f *testing.F) {
	s, d := &Set{}, &disk{}
	addAll(s, session(100, true))
	d.store(f, s)
	f.Add(d.head, d.chunks[0])
	f.Fuzz(func(t *testing.T, head, record []byte) {
		s, err := Restore(head, maps.All(map[uint32][]byte{3: record}))
		if err != nil {
			return
		}
		addAll(s, session(50, true))
		before := s.dump()
		d := &disk{}
		for i := range s.dirty {
			s.dirty[i] = true
		}
		d.store(t, s)
		if after := d.restore(t, 0).dump(); after != before {
			t.Errorf("restored facts differ:\n%s", diff(after, before))
		}
	})
}

// A head of version 1 has no sums of estimates.
func TestHeadOfVersion1(t *testing.T) {
	f := &folded{sums: sums{facts: 3, cost: 5 * nano, paid: 2}, errors: 1}
	b := binary.AppendUvarint([]byte{1, 0}, 0)
	all := f.sums.fields()
	for _, n := range append(all[:len(all)-laterFields], f.fields()...) {
		b = binary.AppendVarint(b, *n)
	}
	s, err := Restore(append(b, "no"...), maps.All(map[uint32][]byte{}))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Totals(); got.Facts != 3 || got.Cost != 5 || !got.HasCost || got.Errors != 1 || got.LastError != "no" {
		t.Errorf("totals are %+v", got)
	}
}
