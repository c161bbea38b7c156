package session

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What was told no longer ago than the window is known, up to the limit, and so
// are always the last few; what others hold does not change.
func TestEchoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := &echoes{}
		var all []echo
		now := int64(0)
		for hash := range uint64(rapid.IntRange(0, 400).Draw(t, "n")) {
			now += rapid.SampledFrom([]int64{0, 1, 10, 500, 4999, 6000}).Draw(t, "pause") * int64(time.Millisecond)
			before, was := es, slices.Clone(*es)
			es = es.with(hash, now)
			require.Equal(t, was, *before)
			require.LessOrEqual(t, len(*es), echoesMost)
			all = append(all, echo{hash, now})
		}
		lately := all[max(0, len(all)-echoesMost):]
		for i, e := range lately {
			last := len(lately)-i <= echoesLeast
			require.True(t, es.near(e.Hash, e.Time) || !last && now-e.Time > hostWindow, "%d of %d", i, len(lately))
		}
		require.False(t, es.near(0, -hostWindow-1))
		require.False(t, es.near(1<<40, now))
	})
}
