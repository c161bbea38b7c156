package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRowQueue: entries come out in their order, those that nothing waits for are skipped,
// and the memory of those that left is used again.
func TestRowQueue(t *testing.T) {
	var q rowQueue
	entries := make([]Entry, 100)
	for i := range entries {
		entries[i].rowWaits = i%3 != 0
		q.push(&entries[i], int64(i))
	}
	for i := range entries {
		if !entries[i].rowWaits {
			continue
		}
		first, ok := q.front(rowWaits)
		require.True(t, ok)
		require.Equal(t, int64(i), first.due)
		require.Same(t, &entries[i], first.entry)
		q.drop()
	}
	_, ok := q.front(rowWaits)
	assert.False(t, ok)
	assert.Empty(t, q.items)
	assert.Zero(t, q.head)
}
