package store

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestProgressCanBeTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 6).Draw(t, "limit")
		var c Call
		for i := range rapid.IntRange(0, 20).Draw(t, "before") {
			c.Note(Progress{Time: int64(i)}, limit)
		}
		before := append([]Progress(nil), c.Events()...)
		var changes []change
		for i := range rapid.IntRange(0, 20).Draw(t, "more") {
			old, at := c.Note(Progress{Time: int64(100 + i)}, limit)
			changes = append(changes, change{kind: progressed, c: &c, progress: old, at: at})
		}
		for i := len(changes) - 1; i >= 0; i-- {
			changes[i].undo()
		}
		require.Equal(t, before, append([]Progress(nil), c.Events()...))
	})
}

func TestOpenCallsAreTheOldestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Session{}
		for i := range rapid.IntRange(0, 10).Draw(t, "n") {
			c := &Call{}
			c.Key.ID, c.Start = strconv.Itoa(i), rapid.Int64Min(1).Draw(t, "start")
			s.add(c)
		}
		calls := s.CallsInOrder()
		require.Len(t, calls, s.OpenCalls())
		for i := 1; i < len(calls); i++ {
			require.LessOrEqual(t, calls[i-1].Start, calls[i].Start)
		}
	})
}
