package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A call that waited for its client has all the time there is once that goes on,
// and is reported as of then.
func TestACallGetsStuckAfterItWasParked(t *testing.T) {
	opt := testOptions()
	opt.StuckAfter = 100 * time.Second
	opt.CallTimeout = time.Hour
	e := session.New(opt)
	say(t, e, 1000*second, event.FromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	say(t, e, 1010*second, event.FromServer, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}`)
	say(t, e, 5000*second, event.FromClient, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n","requestState":"s"}}`)
	isStuckAt(t, e, 5100*second)
}

// Neither does it count that a person was asked.
func TestACallGetsStuckAfterAPersonWasAsked(t *testing.T) {
	opt := testOptions()
	opt.StuckAfter = 100 * time.Second
	opt.CallTimeout = time.Hour
	e := session.New(opt)
	say(t, e, 1000*second, event.FromClient, callOne)
	say(t, e, 1001*second, event.FromServer, `{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"m"}}`)
	told, found := sweep(e, 1100*second, true)
	require.True(t, found)
	require.Empty(t, told.lines, "it is spared")
	say(t, e, 1101*second, event.FromServer, `{"jsonrpc":"2.0","id":2,"method":"roots/list"}`) // in the place of the question
	isStuckAt(t, e, 1200*second)
}

// isStuckAt checks that the only call is reported as stuck at that time.
func isStuckAt(t *testing.T, e *session.Engine, at int64) {
	t.Helper()
	next, ok := e.Next()
	require.True(t, ok)
	require.Equal(t, at, next)
	told, _ := sweep(e, at, true)
	require.Len(t, told.lines, 1)
	require.Contains(t, told.lines[0], "call.stuck")
	require.Contains(t, told.lines[0], fmt.Sprintf("at %d after", at))
}

// What its servers say is a sign of a host, also after a restart.
func TestTheLastSignOfAHostIsStored(t *testing.T) {
	opt := testOptions()
	opt.StalledAfter = 10 * time.Second
	p, kept := newKeeping(t, opt), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`)
	env := event.Envelope{Arrival: 1005 * second, Time: 1005 * second, Session: "s", Host: "a"}
	commit(t, p.engine, 1005*second, func(tx *session.Tx) error {
		return message(t.Context(), tx, &env, parse(t, `{"jsonrpc":"2.0","method":"x"}`))
	})
	commit(t, p.engine, 1005*second, func(tx *session.Tx) error { return closed(t.Context(), tx, &env, "", nil) })
	before, _ := p.engine.Next()
	require.Equal(t, 1015*second, before)
	p.restart(t, kept, 0, 1006*second)
	after, _ := p.engine.Next()
	require.Equal(t, before, after)
	told, _ := sweep(p.engine, after, true)
	require.Len(t, told.lines, 1)
	require.Contains(t, told.lines[0], "host.stalled")
}

// What is said of a host in a transaction that is not settled yet may be a sign of it:
// an alarm must be true.
func TestAHostIsNotStalledWhileItsServerIsAtWork(t *testing.T) {
	opt := testOptions()
	opt.StalledAfter = 10 * time.Second
	e := session.New(opt)
	say(t, e, 1000*second, event.FromClient, `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`)
	tapped := event.Envelope{Arrival: 1009 * second, Time: 1009 * second, Session: "tapped", Host: "s", Direction: event.FromClient}
	tx := e.Begin(1009*second, newStory(e), nil)
	require.NoError(t, message(t.Context(), tx, &tapped, parse(t, callOne)))
	told, found := sweep(e, 1011*second, true)
	require.False(t, found, told.lines)
	tx.Rollback()
	told, _ = sweep(e, 1011*second, false)
	require.Contains(t, told.lines[0], "host.stalled", "it was never said")
	tx = e.Begin(1011*second, newStory(e), nil)
	require.NoError(t, message(t.Context(), tx, &tapped, parse(t, callOne)))
	tx.Commit()
	told, found = sweep(e, 1012*second, true)
	require.False(t, found, told.lines)
	sound(t, e)
}
