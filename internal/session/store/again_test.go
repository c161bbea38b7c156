package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A call that its agent gave no ID gets a longer key where the same was done before,
// and weighs more by that.
func TestWhatIsDoneAgainWeighsAsMuchAsItsKey(t *testing.T) {
	e := session.New(testOptions())
	a := event.SelfReport{Notice: event.Notice{Source: event.AgentLog}}
	report := func(what string, at int64) {
		env := event.Envelope{Arrival: at, Time: at, Session: "a", Client: "claude-code", Direction: event.FromClient}
		commit(t, e, at, func(tx *session.Tx) error {
			return tx.Apply(t.Context(), &env, agentEvent(what, a, 0, at))
		})
		sound(t, e)
	}
	report("prompt", 2*second)
	report("ended", 2*second)
	held := e.Sizes().Calls
	report("tool", 3*second)
	require.Greater(t, e.Sizes().Calls, held)
}
