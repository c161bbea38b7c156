package activity

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
)

func callWith(connection, id string, fromClient bool, start int64) *state.Call {
	return &state.Call{Key: state.CallKey{Connection: connection, ID: id, FromClient: fromClient}, Start: start}
}

func use(u *state.UsedIDs, id string, start int64) (seen bool) {
	c := callWith("c", id, true, start)
	seen = u.Seen(c, hashCall(c))
	u.Add(c, hashCall(c))
	return seen
}

func TestUsedIDs(t *testing.T) {
	var u state.UsedIDs
	assert.False(t, use(&u, "1", 10), "first")
	assert.False(t, use(&u, "2", 11), "ascending")
	assert.False(t, use(&u, "1", 10), "sent again")
	assert.True(t, use(&u, "1", 12), "used again")
	assert.True(t, use(&u, "1", 12), "used again and sent again")
	assert.False(t, use(&u, `"1"`, 13), "a string is another id")
	assert.True(t, use(&u, `"1"`, 14), "a string used again")
}

func TestUsedIDsForgetsTheOldest(t *testing.T) {
	var u state.UsedIDs
	for i := range int64(3 * state.UsedIDsMax) {
		require.False(t, use(&u, strconv.FormatInt(i, 10), i))
	}
	require.Len(t, u.Ring, state.UsedIDsMax)
	assert.True(t, use(&u, "5", 1000), "an integer that was used long ago")
	assert.False(t, use(&u, "1000", 1001), "a new integer")
	assert.False(t, use(&u, `"new"`, 1002))
	assert.True(t, use(&u, strconv.Itoa(3*state.UsedIDsMax-10), 1003), "a remembered one")
}

func TestUsedIDsTellDirectionsApart(t *testing.T) {
	var u state.UsedIDs
	client, server := callWith("c", "1", true, 1), callWith("c", "1", false, 2)
	u.Add(client, hashCall(client))
	assert.False(t, u.Seen(server, hashCall(server)))
	other := callWith("d", "1", true, 2)
	assert.False(t, u.Seen(other, hashCall(other)))
}
