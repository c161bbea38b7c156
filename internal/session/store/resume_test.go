package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// hostIdle is the silence that ends such a host.
const hostIdle = 300 * second

// aHost is an Engine with one host, s, that was heard of at 1000 s and is too silent
// after ten seconds more.
func aHost(t *testing.T, phase string) *session.Engine {
	t.Helper()
	opt := testOptions()
	opt.StalledAfter, opt.StuckAfter, opt.CallTimeout = 10*time.Second, 20*time.Second, 100*time.Second
	opt.IdleTimeout = time.Duration(hostIdle)
	e := session.New(opt)
	say(t, e, 1000*second, event.FromClient, `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"`+phase+`"}}`)
	return e
}

// tapped lets the transaction take what one of the host's servers is sent.
func tapped(t *testing.T, tx *session.Tx, text string) {
	t.Helper()
	env := event.Envelope{Arrival: txOf(tx).Now(), Time: txOf(tx).Now(), Session: "tapped", Host: "s", Direction: event.FromClient}
	require.NoError(t, message(t.Context(), tx, &env, parse(t, text)))
}

const aNotice = `{"jsonrpc":"2.0","method":"notifications/x"}`

// resumes checks that the next sweep reports once that the host is heard of since then.
func resumes(t *testing.T, e *session.Engine, since int64) {
	t.Helper()
	require.True(t, awake(e))
	told, found := sweep(e, since+second, false)
	require.True(t, found)
	require.Len(t, told.lines, 1)
	told, _ = sweep(e, since+second, true)
	require.Len(t, told.lines, 1, "it was refused before")
	require.Contains(t, told.lines[0], "host.resumed")
	sound(t, e)
	_, found = sweep(e, since+second, true)
	require.False(t, found)
	next, _ := e.Next()
	require.Equal(t, since+10*second, next, "its silence begins again")
}

// What a server says while the stall of its host is on its way is behind it.
func TestAHostResumesByWhatCameWhileItsStallWasReported(t *testing.T) {
	e := aHost(t, "working")
	told := newStory(e)
	stall, found := e.Sweep(told, stamp(1011*second))
	require.True(t, found)
	require.Contains(t, told.lines[0], "host.stalled")
	commit(t, e, 1012*second, func(tx *session.Tx) error { tapped(t, tx, aNotice); return nil })
	stall.Commit()
	resumes(t, e, 1012*second)
}

// Likewise what is on its way itself when the stall is decided, and settled after it.
func TestAHostResumesByWhatWasOnItsWay(t *testing.T) {
	e := aHost(t, "working")
	tx := e.Begin(1011*second, newStory(e), nil)
	tapped(t, tx, aNotice)
	told, _ := sweep(e, 1012*second, true)
	require.Contains(t, told.lines[0], "host.stalled")
	tx.Commit()
	resumes(t, e, 1011*second)
}

// However long a pipeline took for it.
func TestAHostResumesByWhatHung(t *testing.T) {
	e := aHost(t, "working")
	tx := e.Begin(1001*second, newStory(e), nil)
	tapped(t, tx, aNotice)
	told, _ := sweep(e, 1070*second, true)
	require.Contains(t, told.lines[0], "host.stalled")
	tx.Commit()
	told, _ = sweep(e, 1070*second, true)
	require.Len(t, told.lines, 1)
	require.Contains(t, told.lines[0], "host.resumed")
	sound(t, e)
}

// What is refused was not said, and a stall that is refused is none.
func TestNoHostResumesByWhatIsRefused(t *testing.T) {
	e := aHost(t, "working")
	told, _ := sweep(e, 1011*second, true)
	require.Contains(t, told.lines[0], "host.stalled")
	tx := e.Begin(1012*second, newStory(e), nil)
	tapped(t, tx, aNotice)
	tx.Rollback()
	_, found := sweep(e, 1013*second, true)
	require.False(t, found)

	e = aHost(t, "working")
	stall, _ := e.Sweep(newStory(e), stamp(1011*second))
	commit(t, e, 1012*second, func(tx *session.Tx) error { tapped(t, tx, aNotice); return nil })
	stall.Rollback()
	_, found = sweep(e, 1013*second, true)
	require.False(t, found)
	sound(t, e)
}

// A restart in between forgets nothing of that.
func TestAHostResumesAfterARestart(t *testing.T) {
	opt := testOptions()
	opt.StalledAfter = 10 * time.Second
	p, kept := newKeeping(t, opt), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`)
	told, _ := sweep(p.engine, 1010*second, true)
	require.Contains(t, told.lines[0], "host.stalled")
	env := event.Envelope{Arrival: 1020 * second, Time: 1020 * second, Session: "tapped", Host: "a", Direction: event.FromClient}
	commit(t, p.engine, 1020*second, func(tx *session.Tx) error { return message(t.Context(), tx, &env, parse(t, aNotice)) })
	p.restart(t, kept, 0, 1021*second)
	require.True(t, awake(p.engine))
	told, _ = sweep(p.engine, 1022*second, true)
	require.Len(t, told.lines, 1)
	require.Contains(t, told.lines[0], "host.resumed")
	require.Contains(t, told.lines[0], "at 1020000000000")
	sound(t, p.engine)
}

// endOf is why the session ended that the sweep at that time ends.
func endOf(t *testing.T, e *session.Engine, now int64) string {
	t.Helper()
	told, _ := sweep(e, now, true)
	for _, line := range told.lines {
		if strings.HasPrefix(line, "end s ") {
			return line
		}
	}
	require.Fail(t, "it did not end", told.lines)
	return ""
}

// A host that never saw to a call that did not return is stalled when it ends, unless it
// does something after that.
func TestAHostWhoseCallDidNotReturn(t *testing.T) {
	stuck := func() *session.Engine {
		e := aHost(t, "idle")
		say(t, e, 1001*second, event.FromClient, callOne)
		told, _ := sweep(e, 1021*second, true)
		require.Contains(t, told.lines[0], "call.stuck")
		return e
	}
	over := func(e *session.Engine) {
		told, _ := sweep(e, 1101*second, true)
		require.Len(t, told.calls, 1)
	}

	e := stuck()
	over(e)
	require.Contains(t, endOf(t, e, 1101*second+hostIdle), "stalled")

	e = stuck()
	say(t, e, 1050*second, event.FromClient, aNotice)
	over(e)
	require.Contains(t, endOf(t, e, 1101*second+hostIdle), "idle", "it went on")

	e = stuck()
	over(e)
	say(t, e, 1110*second, event.FromClient, aNotice)
	require.Contains(t, endOf(t, e, 1110*second+hostIdle), "idle", "it went on later")

	e = stuck()
	over(e)
	commit(t, e, 1110*second, func(tx *session.Tx) error { tapped(t, tx, aNotice); return nil })
	told, found := sweep(e, 1111*second, true)
	require.True(t, found)
	require.Empty(t, told.lines, "it was not stalled")
	require.Contains(t, endOf(t, e, 1111*second+hostIdle), "idle", "its server was at work")
}

// Of two calls that do not return, the end of one is no sign of the host, and says nothing
// of the other.
func TestASecondCallThatDidNotReturn(t *testing.T) {
	e := aHost(t, "idle")
	say(t, e, 1001*second, event.FromClient, callOne)
	sweep(e, 1021*second, true)
	say(t, e, 1060*second, event.FromClient, strings.Replace(callOne, `"id":1`, `"id":2`, 1))
	sweep(e, 1080*second, true)
	sweep(e, 1101*second, true)
	told, _ := sweep(e, 1160*second, true)
	require.Len(t, told.calls, 1)
	require.Contains(t, endOf(t, e, 1160*second+hostIdle), "stalled")
}

// A host whose stall and return are reported goes on for as long as its servers are heard:
// that its own session was touched says nothing of when it was heard of.
func TestAHostOfBusyServersIsNotIdle(t *testing.T) {
	e := aHost(t, "working")
	commit(t, e, 1005*second, func(tx *session.Tx) error {
		tapped(t, tx, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`)
		return nil
	})
	told, _ := sweep(e, 1015*second, true)
	require.Contains(t, told.lines[0], "host.stalled")
	commit(t, e, 1200*second, func(tx *session.Tx) error { tapped(t, tx, aNotice); return nil })
	told, _ = sweep(e, 1200*second, true)
	require.Contains(t, told.lines[0], "host.resumed")
	told, _ = sweep(e, 1200*second+hostIdle-1, true)
	require.Empty(t, told.ended)
	require.Contains(t, endOf(t, e, 1200*second+hostIdle), "stalled")
}

// A server of which only the connection is known speaks for its host, but not by a ping.
func TestAConnectionIsASignOfItsHost(t *testing.T) {
	e := aHost(t, "working")
	for _, said := range []struct {
		at      int64
		text    string
		stalled int64
	}{{1008 * second, aNotice, 1018 * second}, {1009 * second, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 1018 * second}} {
		env := event.Envelope{Arrival: said.at, Time: said.at, Connection: "x", Host: "s", Direction: event.FromClient}
		commit(t, e, said.at, func(tx *session.Tx) error { return message(t.Context(), tx, &env, parse(t, said.text)) })
		next, _ := e.Next()
		require.Equal(t, said.stalled, next)
	}
	sound(t, e)
}
