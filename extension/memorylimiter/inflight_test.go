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
