package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStuckCallThatIsGivenUp: that nobody waits for a call any longer is no sign of life.
func TestStuckCallThatIsGivenUp(t *testing.T) {
	b, _ := board(10)
	stuck := func(call byte, from int) {
		record("s", "call.start", call, from, "mcp.rpc.method", "tools/call")(b)
		span("s", "mcp.call.stuck", call+1, call, from+1, from+1)(b)
		require.NotNil(t, row(t, b, "s").Stalled)
	}
	givenUp := func(call byte, from int) {
		span("s", "tool.call", call, 1, from, from+2, "mcp.span.incomplete", true, "mcp.error.code", "TIMEOUT", "mcp.status.code", "error")(b)
		r := row(t, b, "s")
		require.NotNil(t, r.Stalled)
		assert.Equal(t, Stalled, r.State)
	}
	span("s", "session.start", 2, 1, 0, 0)(b)
	stuck(10, 1)
	givenUp(10, 1)
	record("s", "call.start", 20, 10, "mcp.rpc.method", "tools/call")(b)
	assert.Nil(t, row(t, b, "s").Stalled, "work goes on")
	span("s", "tool.call", 20, 1, 10, 11)(b)

	stuck(30, 20)
	givenUp(30, 20)
	span("s", "tool.call", 40, 1, 24, 25)(b)
	assert.Nil(t, row(t, b, "s").Stalled, "work goes on")

	stuck(50, 30)
	span("s", "tool.call", 50, 1, 30, 33, "mcp.error.code", "TIMEOUT", "mcp.status.code", "error")(b)
	assert.Nil(t, row(t, b, "s").Stalled, "a reply that tells of a timeout is one")

	stuck(60, 40)
	stuck(70, 41)
	givenUp(60, 40)
	span("s", "tool.call", 70, 1, 41, 44)(b)
	assert.Nil(t, row(t, b, "s").Stalled, "one answered")
}
