package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A record belongs to the turn of its time: it may come when the next one is open.
func TestARecordIsPlacedInTheTurnOfItsTime(t *testing.T) {
	e := session.New(testOptions())
	arrival := 100 * second
	apply := func(at int64, apply func(tx *session.Tx, env *event.Envelope) error) (about session.Place) {
		arrival++
		env := event.Envelope{Arrival: arrival, Time: at, Session: "s", Client: "claude-code", Direction: event.FromClient}
		commit(t, e, arrival, func(tx *session.Tx) error {
			err := apply(tx, &env)
			about = tx.About
			return err
		})
		return about
	}
	hook := func(what string, at int64) {
		apply(at, func(tx *session.Tx, env *event.Envelope) error {
			return tx.Apply(t.Context(), env, agentEvent(what, event.SelfReport{Notice: event.Notice{Source: event.Hook}}, 0, at))
		})
	}
	hook("prompt", 100*second)
	hook("rest", 110*second)
	hook("prompt", 120*second)
	turns := map[int64]identity.SpanID{}
	for _, c := range tableOf(e).Session("s").Turns() {
		turns[c.Start/second] = c.Span
	}
	require.Len(t, turns, 2)
	root := tableOf(e).Session("s").Root
	for at, want := range map[int64]identity.SpanID{90: root, 105: turns[100], 115: root, 125: turns[120]} {
		about := apply(at*second, func(tx *session.Tx, env *event.Envelope) error { return tx.Locate(t.Context(), env) })
		assert.Equal(t, want, about.Span, "at %d", at)
	}
}
