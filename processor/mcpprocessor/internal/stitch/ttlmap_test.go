package stitch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type note struct {
	n    int
	held bool
}

func newNotes(limit int, keep int64) *ttlMap[Value, note] {
	return newTTLMap[Value](limit, keep, func(n *note) bool { return n.held })
}

func addNote(m *ttlMap[Value, note], key Value, now int64) *note {
	v, _ := m.add(key, now)
	return v
}

// TestTTLMap compares with a map that stores times.
func TestTTLMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 3, 20, 1000}).Draw(t, "limit")
		m, now := newNotes(limit, 1600), int64(0)
		type known struct {
			note
			since int64 // when it was added last
		}
		want := map[Value]known{}
		everHeld := 0 // those that are not held any more leave one after the other
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for range rapid.IntRange(1, 20).Draw(t, "times") {
					key := Value{byte(rapid.IntRange(0, 63).Draw(t, "key"))}
					v := addNote(m, key, now)
					if k, ok := want[key]; ok && now-k.since < 1600 && (v.n != 0 || limit == 1000) {
						require.Equal(t, k.note, *v)
					}
					*v = note{len(want) + 1, rapid.IntRange(0, 20).Draw(t, "held") == 0}
					if v.held {
						everHeld++
					}
					want[key] = known{note: *v, since: now}
					require.Equal(t, *v, *m.get(key, now))
				}
			},
			"wait": func(t *rapid.T) { now += int64(rapid.IntRange(0, 2000).Draw(t, "time")) },
			"": func(t *rapid.T) {
				for key, k := range want {
					got := m.get(key, now)
					switch {
					case k.held:
						require.NotNil(t, got, "held")
					case limit == 1000 && now-k.since < 1600:
						require.NotNil(t, got, "not too old")
					case now-k.since >= 1700+100:
						require.Nil(t, got, "too old")
					}
					if got != nil {
						require.Equal(t, k.note, *got)
					}
				}
				alive := 0
				for key, v := range m.all(now) {
					require.Equal(t, want[key].note, *v)
					alive++
				}
				require.LessOrEqual(t, alive, limit+everHeld+few)
			},
		})
	})
}

func TestTTLMapForgetsTheOldest(t *testing.T) {
	m := newNotes(3, 1000)
	for i := range 5 {
		addNote(m, Value{byte(i)}, 0).n = i
	}
	var got []int
	for _, v := range m.all(0) {
		got = append(got, v.n)
	}
	require.Equal(t, []int{2, 3, 4}, got)
	addNote(m, Value{9}, 5000)
	got = got[:0]
	for _, v := range m.all(5000) {
		got = append(got, v.n)
	}
	require.Equal(t, []int{0}, slices.Clone(got), "the others are too old")
}

func TestTTLMapAllocatesOnlyToGrow(t *testing.T) {
	m, i := newNotes(1024, 1000), uint32(0)
	next := func() {
		m.add(Value{byte(i), byte(i >> 8), byte(i >> 16)}, 0)
		i++
	}
	for range 5000 {
		next()
	}
	require.Zero(t, testing.AllocsPerRun(1000, next))
}

// TestTTLMapPrefetchChangesNothing, in a table larger than the caches whose ring
// has come round.
func TestTTLMapPrefetchChangesNothing(t *testing.T) {
	const limit = cached
	key := func(i int) Value { return Value{byte(i), byte(i >> 8), byte(i >> 16)} }
	m := newNotes(limit, 1000)
	for i := range limit + limit/2 {
		addNote(m, key(i), 0).n = i
	}
	require.Greater(t, len(m.table), cached)
	batch := make([]Value, 0, 400)
	for i := range cap(batch) { // the last ones are not there
		batch = append(batch, key(limit+i*limit/cap(batch)))
	}
	m.prefetch(slices.Values(batch))
	n := limit / 2
	for k, v := range m.all(0) {
		require.Equal(t, key(n), k)
		require.Equal(t, n, v.n)
		n++
	}
	require.Equal(t, limit+limit/2, n)
}

// TestTTLMapBusyEntriesLeaveRoom: an entry that is added all the time takes the
// room of one.
func TestTTLMapBusyEntriesLeaveRoom(t *testing.T) {
	const limit, keep, busy = 1024, 1600, 200
	m := newNotes(limit, keep)
	key := func(i int) Value { return Value{byte(i), byte(i >> 8)} }
	for i := range limit {
		addNote(m, key(i), 0).n = i
	}
	for now := int64(0); now < 10*keep; now += keep/lazy + 1 {
		for i := range busy {
			require.Equal(t, i, addNote(m, key(i), now).n)
		}
		for i := busy; i < limit && now < keep; i++ {
			require.NotNil(t, m.get(key(i), now), "number %d at %d", i, now)
		}
	}
	require.Nil(t, m.get(key(busy), 10*keep))
	require.Len(t, m.ring, limit)
}
