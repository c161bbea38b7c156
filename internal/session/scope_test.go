package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// What a message may do to a session that is not known, or that has ended.
func TestEnter(t *testing.T) {
	for _, c := range []struct {
		name          string
		effect        entryEffect
		opens         bool
		reopensAtOnce bool
		reopensLater  bool
	}{
		{"opens", opens, true, true, true},
		{"late", late, true, false, true},
		{"once", once, true, false, false},
		{"keepAlive", keepAlive, false, false, false},
	} {
		tx, s, _ := begun(t)
		unknown := envelope(second)
		unknown.Session = "unknown"
		found, err := tx.rules.sessions.enter(t.Context(), unknown, c.effect)
		require.NoError(t, err)
		assert.Equal(t, c.opens, found != nil, "%s: unknown", c.name)

		tx.rules.ends.end(s, second, mcpconv.EndFinished)
		found, err = tx.rules.sessions.enter(t.Context(), envelope(2*second), c.effect)
		require.NoError(t, err)
		assert.Equal(t, c.reopensAtOnce, found.Open(), "%s: at once", c.name)
		found, err = tx.rules.sessions.enter(t.Context(), envelope(1000*second), c.effect)
		require.NoError(t, err)
		assert.Equal(t, c.reopensLater, found.Open(), "%s: after the time in which late messages reopen nothing", c.name)
	}
}

func TestAnnounceOnce(t *testing.T) {
	tx, s, sink := begun(t)
	tx.rules.sessions.announce(s)
	tx.rules.sessions.announce(s)
	assert.Equal(t, []string{"session started"}, sink.names)
	assert.EqualValues(t, 1, s.Spans)
}
