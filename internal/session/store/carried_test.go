package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A connection of ACP on which one session follows another knows only those that are
// open, and their requests: what ended before it takes nothing away from them.
func TestAConnectionForgetsSessionsThatEnded(t *testing.T) {
	e := session.New(testOptions())
	const many = 2000
	for i := range int64(many) {
		now, name := (i+1)*second, fmt.Sprint("s", i)
		env := event.Envelope{Arrival: now, Time: now, Session: name, Connection: "c", ACP: true, Direction: event.FromClient}
		commit(t, e, now, func(tx *session.Tx) error {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`, i, name)
			return message(t.Context(), tx, &env, parse(t, text))
		})
		if i < many-1 {
			last := event.Envelope{Arrival: now, Time: now, Session: name}
			commit(t, e, now, func(tx *session.Tx) error { return closed(t.Context(), tx, &last, "", nil) })
		}
	}
	c := tableOf(e).Connection("c")
	require.Equal(t, []string{fmt.Sprint("s", many-1)}, c.Carried)
	require.Len(t, c.Redirects, 1)
	sound(t, e)
	reply := event.Envelope{Arrival: 3000 * second, Time: 3000 * second, Connection: "c", ACP: true, Direction: event.FromServer}
	told, _ := commit(t, e, 3000*second, func(tx *session.Tx) error {
		return message(t.Context(), tx, &reply, parse(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, many-1)))
	})
	require.Len(t, told.calls, 1, "it is found by its connection")
}
