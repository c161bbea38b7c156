package memorylimiter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOneMoreWhenTheFirstFits: what was one too many is no longer when others have gone.
func TestOneMoreWhenTheFirstFits(t *testing.T) {
	f := &inFlight{limit: 1000 << 10, now: time.Now}
	first, more, next, last := &room{}, &room{}, &room{}, &room{}
	require.NoError(t, f.take(first, 900<<10))
	require.NoError(t, f.take(more, 300<<10))
	require.Equal(t, errBusy, f.take(next, 800<<10))
	f.give(first)
	assert.NoError(t, f.take(next, 800<<10), "the one that may go beyond the limit")
	assert.Equal(t, errBusy, f.take(last, 100<<10))
	require.NoError(t, f.take(&room{}, small))
	f.give(more)
	f.give(next)
	assert.NoError(t, f.take(last, 2000<<10))
}

// TestNoMoreGiveWayThanNeeded: bodies that have been told to give way count, although
// their room is not free yet.
func TestNoMoreGiveWayThanNeeded(t *testing.T) {
	now := time.Unix(0, 0)
	f := &inFlight{limit: 1000 << 10, now: func() time.Time { return now }}
	var told []*room
	for range 5 {
		r := &room{}
		r.giveWay = func() { told = append(told, r) }
		require.NoError(t, f.take(r, 190<<10))
	}
	require.NoError(t, f.take(&room{}, 300<<10), "the one that may go beyond the limit")
	now = now.Add(patience)
	refused := func() { assert.Equal(t, errBusy, f.take(&room{}, 100<<10)) }
	for range 3 {
		refused()
		assert.Len(t, told, 2)
	}
	for i := range 2 {
		f.give(told[i])
		f.give(told[i])
	}
	assert.NoError(t, f.take(&room{}, 100<<10))
	assert.NoError(t, f.take(&room{}, 500<<10), "again one that may go beyond the limit")
	for range 2 {
		refused()
		assert.Len(t, told, 5, "those that went count no longer")
	}
}
