package sessions

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// TestNumbersThatJSONLacks: a share that is no number must not make the session
// vanish from every answer.
func TestNumbersThatJSONLacks(t *testing.T) {
	for _, share := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		b, _ := board(10)
		span("a", "mcp.tool", 3, 1, 0, 1, mcpconv.HostTokensUsed, int64(7), mcpconv.HostTokensShare, share)(b)
		row, ok := b.Row("a")
		require.True(t, ok, share)
		assert.True(t, json.Valid(row), share)
		page, err := b.List(Query{Limit: 10})
		require.NoError(t, err)
		require.Len(t, page.Sessions, 1)
		assert.NotEmpty(t, page.Sessions[0], share)
	}
}

// TestRemovalsAreForgottenInOrder: readers that are behind the last removals
// that are kept see those, and no older ones.
func TestRemovalsAreForgottenInOrder(t *testing.T) {
	b, _ := board(10_000)
	for i := range 3 * maxRemoved {
		span(fmt.Sprint("s", i), "mcp.tool", 3, 1, 0, 1)(b)
	}
	for i := range 2 * maxRemoved {
		b.Remove(fmt.Sprint("s", i))
	}
	assert.Len(t, b.removals.Items, maxRemoved)
	changes, _ := b.Changes(0, 10_000)
	gone := 0
	for _, change := range changes {
		if change.Row == nil {
			assert.Equal(t, fmt.Sprint("s", maxRemoved+gone), change.ID)
			gone++
		}
	}
	assert.Equal(t, maxRemoved, gone)
	assert.Len(t, changes, 2*maxRemoved)
}

// BenchmarkDropAtTheLimit is what a new session costs when as many are kept as
// there may be.
func BenchmarkDropAtTheLimit(b *testing.B) {
	const limit = 100_000
	sessions, _ := board(limit)
	n := 0
	next := func() {
		span(fmt.Sprint("s", n), "mcp.tool", 3, 1, n, n+1)(sessions)
		n++
	}
	for range limit + 2*maxRemoved {
		next()
	}
	for b.Loop() {
		next()
	}
}
