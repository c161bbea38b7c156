package session

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestProgressKeepsTheFirstAndTheNewestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 6).Draw(t, "limit")
		n := rapid.IntRange(0, 20).Draw(t, "n")
		var c Call
		for i := range n {
			c.note(Progress{Time: int64(i)}, limit)
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

func TestProgressCanBeTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 6).Draw(t, "limit")
		var c Call
		for i := range rapid.IntRange(0, 20).Draw(t, "before") {
			c.note(Progress{Time: int64(i)}, limit)
		}
		before := append([]Progress(nil), c.Events()...)
		var undos []undo
		for i := range rapid.IntRange(0, 20).Draw(t, "more") {
			old, at := c.note(Progress{Time: int64(100 + i)}, limit)
			undos = append(undos, undo{kind: undoProgress, call: &c, progress: old, at: at})
		}
		for i := len(undos) - 1; i >= 0; i-- {
			undos[i].apply()
		}
		require.Equal(t, before, append([]Progress(nil), c.Events()...))
	})
}

func use(u *usedIDs, id string, start int64) (seen bool) {
	c := &Call{Connection: "c", ID: id, FromClient: true, Start: start}
	seen = u.seen(c, hashCall(c))
	u.add(c, hashCall(c))
	return seen
}

func TestUsedIDs(t *testing.T) {
	var u usedIDs
	assert.False(t, use(&u, "1", 10), "first")
	assert.False(t, use(&u, "2", 11), "ascending")
	assert.False(t, use(&u, "1", 10), "sent again")
	assert.True(t, use(&u, "1", 12), "used again")
	assert.True(t, use(&u, "1", 12), "used again and sent again")
	assert.False(t, use(&u, `"1"`, 13), "a string is another id")
	assert.True(t, use(&u, `"1"`, 14), "a string used again")
}

func TestUsedIDsForgetsTheOldest(t *testing.T) {
	var u usedIDs
	for i := range int64(3 * usedIDsMax) {
		require.False(t, use(&u, strconv.FormatInt(i, 10), i))
	}
	require.Len(t, u.Ring, usedIDsMax)
	assert.True(t, use(&u, "5", 1000), "an integer that was used long ago")
	assert.False(t, use(&u, "1000", 1001), "a new integer")
	assert.False(t, use(&u, `"new"`, 1002))
	assert.True(t, use(&u, strconv.Itoa(3*usedIDsMax-10), 1003), "a remembered one")
}

func TestUsedIDsTellDirectionsApart(t *testing.T) {
	var u usedIDs
	client := &Call{Connection: "c", ID: "1", FromClient: true, Start: 1}
	server := &Call{Connection: "c", ID: "1", Start: 2}
	u.add(client, hashCall(client))
	assert.False(t, u.seen(server, hashCall(server)))
	other := &Call{Connection: "d", ID: "1", FromClient: true, Start: 2}
	assert.False(t, u.seen(other, hashCall(other)))
}

func TestRecentsRemembersTheLast(t *testing.T) {
	var r *recents
	assert.Zero(t, r.find(0), "nothing was added")
	for i := range uint64(recentsMost + 2) {
		before := r
		r = r.with(i, 100+int64(i))
		assert.Zero(t, before.find(i), "what was handed out never changes")
	}
	for i := range uint64(recentsMost + 2) {
		assert.Equal(t, i >= 2, r.find(i) != 0, i)
	}
}

func TestOpenCallsAreTheOldestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Session{}
		for i := range rapid.IntRange(0, 10).Draw(t, "n") {
			s.put(&Call{ID: strconv.Itoa(i), Start: rapid.Int64Min(1).Draw(t, "start")})
		}
		calls := s.openCalls()
		for i := 1; i < len(calls); i++ {
			require.LessOrEqual(t, calls[i-1].Start, calls[i].Start)
		}
	})
}
