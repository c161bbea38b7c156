package session

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A call of an agent whose hooks lack ends is in doubt when a later one begins, unless
// they began together.
func TestDoubtEarlier(t *testing.T) {
	for _, lack := range []bool{true, false} {
		tx, s, _ := begun(t)
		tx.opt.Traits = func(string) event.Traits { return event.Traits{HooksLackEnd: lack} }
		open := func(id string, at int64) *store.Call {
			c := tx.store.NewCall(s)
			c.Kind, c.Source, c.Start, c.Key = event.ToolCall, event.Hook, at, store.CallKey{ID: id, FromClient: true}
			tx.store.Open(s, c)
			return c
		}
		earlier, same := open("1", second), open("2", 10*second)
		tx.rules.agentTools.doubtEarlier(s, open("3", 10*second))
		assert.Equal(t, lack, earlier.Uncertain)
		assert.False(t, same.Uncertain)
	}
}
