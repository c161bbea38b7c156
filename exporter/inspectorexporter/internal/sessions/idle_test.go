package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIdle: a host that waits for the next prompt does not run, and its silence is
// no alarm, however long it lasts.
func TestIdle(t *testing.T) {
	b, c := board(10)
	heartbeat := func(id byte, at int, phase string) {
		span("s", "notifications/host.heartbeat", id, 1, at, at, "mcp.host.phase", phase)(b)
	}
	span("s", "session.start", 2, 1, 0, 0)(b)
	assert.Equal(t, Running, row(t, b, "s").State, "nothing is known of it")
	heartbeat(3, 1, "working")
	assert.Equal(t, Running, row(t, b, "s").State)
	heartbeat(4, 2, "idle")
	got := row(t, b, "s")
	assert.Equal(t, Idle, got.State)
	assert.Equal(t, "running", got.Status, "the Inspector has no word for it")

	c.t = c.t.Add(3 * time.Hour)
	assert.Equal(t, Idle, row(t, b, "s").State)
	page, err := b.List(Query{Limit: 10, States: []string{Idle}})
	require.NoError(t, err)
	assert.Len(t, page.Sessions, 1)
	assert.Equal(t, map[string]int{Stalled: 0, Waiting: 0, Running: 0, Idle: 1, Failed: 0, Done: 0}, page.Counts)

	heartbeat(5, 3, "thinking")
	assert.Equal(t, Running, row(t, b, "s").State)
	c.t = c.t.Add(3 * time.Hour)
	assert.Equal(t, Stalled, row(t, b, "s").State)
}

// TestIdleWithACall: a sub-agent or a call in the background keeps it running.
func TestIdleWithACall(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "agent.start", 3, 7, 1, 1)(b)
	span("s", "notifications/host.heartbeat", 4, 1, 2, 2, "mcp.host.phase", "idle")(b)
	assert.Equal(t, Running, row(t, b, "s").State)
	span("s", "agent.call", 7, 1, 1, 5)(b)
	assert.Equal(t, Idle, row(t, b, "s").State)
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b)
	assert.Equal(t, Done, row(t, b, "s").State)
}
