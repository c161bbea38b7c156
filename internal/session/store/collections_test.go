package store

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestProgressKeepsTheFirstAndTheNewestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 6).Draw(t, "limit")
		n := rapid.IntRange(0, 20).Draw(t, "n")
		var c CallRecord
		for i := range n {
			c.Note(Progress{Time: int64(i)}, limit)
		}
		var want []int64
		for i := range n {
			if i == 0 || i > n-limit {
				want = append(want, int64(i))
			}
		}
		var got []int64
		for _, p := range c.Events() {
			got = append(got, p.Time)
		}
		require.Equal(t, want, got)
	})
}

func TestRecentsRemembersTheLast(t *testing.T) {
	var r *Recents
	assert.Zero(t, r.Find(0), "nothing was added")
	for i := range uint64(recentsMax + 2) {
		before := r
		r = r.With(i, 100+int64(i))
		assert.Zero(t, before.Find(i), "what was handed out never changes")
	}
	for i := range uint64(recentsMax + 2) {
		assert.Equal(t, i >= 2, r.Find(i) != 0, i)
	}
}

// What was seen no longer ago than the window is known, up to the limit, and so
// are always the last few; what others hold does not change.
func TestEchoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := &Echoes{}
		var all []Echo
		now := int64(0)
		for hash := range uint64(rapid.IntRange(0, 400).Draw(t, "n")) {
			now += rapid.SampledFrom([]int64{0, 1, 10, 500, 4999, 6000}).Draw(t, "pause") * int64(time.Millisecond)
			before, was := es, slices.Clone(*es)
			es = es.With(hash, now)
			require.Equal(t, was, *before)
			require.LessOrEqual(t, len(*es), EchoesMax)
			all = append(all, Echo{hash, now})
		}
		lately := all[max(0, len(all)-EchoesMax):]
		for i, e := range lately {
			last := len(lately)-i <= echoesMin
			require.True(t, es.Near(e.Hash, e.Time) || !last && now-e.Time > echoWindow, "%d of %d", i, len(lately))
		}
		require.False(t, es.Near(0, -echoWindow-1))
		require.False(t, es.Near(1<<40, now))
	})
}

// Immutable lists leave what was handed out as it was.
func TestListsAndKeysDoNotChange(t *testing.T) {
	var l List[Wait]
	var ids CallIDs
	for i := range 4 {
		l, ids = l.With(&Wait{Name: strconv.Itoa(i)}), ids.With(CallKey{ID: strconv.Itoa(i)})
	}
	allWaits, allIDs := slices.Clone(l), slices.Clone(ids)
	one, other := l.With(&Wait{Name: "a"}), l.With(&Wait{Name: "b"})
	assert.Equal(t, "a", one[4].Name)
	assert.Equal(t, "b", other[4].Name)
	assert.Equal(t, List[Wait]{l[0], l[2], l[3]}, l.Without(1))
	first, second := ids.With(CallKey{ID: "a"}), ids.With(CallKey{ID: "b"})
	assert.Equal(t, "a", first[4].ID)
	assert.Equal(t, "b", second[4].ID)
	assert.Equal(t, CallIDs{ids[0], ids[2], ids[3]}, ids.Without(CallKey{ID: "1"}))
	assert.Equal(t, ids, ids.Without(CallKey{ID: "9"}))
	assert.Nil(t, CallIDs{{ID: "1"}}.Without(CallKey{ID: "1"}))
	assert.Equal(t, allWaits, l)
	assert.Equal(t, allIDs, ids)
}

func TestSum(t *testing.T) {
	for _, c := range [][3]int64{
		{1, 2, 3},
		{math.MaxInt64 - 1, 1, math.MaxInt64},
		{math.MaxInt64, 1, math.MaxInt64},
		{5, -1, 5},
		{5, math.MinInt64, 5},
	} {
		require.Equal(t, c[2], AddSaturating(c[0], c[1]))
	}
}

func TestDelivered(t *testing.T) {
	var ds *Delivered
	known, same := ds.Find(Delivery{1, 1})
	assert.False(t, known || same)
	for id := range uint64(deliveredMax + 1) {
		before := ds
		ds = ds.With(Delivery{id, id})
		if before != nil {
			require.NotContains(t, *before, Delivery{id, id})
		}
	}
	require.Len(t, *ds, deliveredMax)
	for d, want := range map[Delivery][2]bool{{0, 0}: {false, false}, {1, 1}: {true, true}, {1, 2}: {true, false}} {
		known, same = ds.Find(d)
		assert.Equal(t, want, [2]bool{known, same}, d)
	}
}
