package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

func awake(e *session.Engine) bool {
	select {
	case <-e.Wake():
		return true
	default:
		return false
	}
}

// sweep runs one sweep and commits or rolls back.
func sweep(e *session.Engine, now int64, ok bool) (*story, bool) {
	told := newStory(e)
	tx, found := e.Sweep(told, stamp(now))
	if ok {
		tx.Commit()
	} else {
		tx.Rollback()
	}
	return told, found
}

func TestNext(t *testing.T) {
	e := session.New(testOptions())
	_, ok := e.Next()
	assert.False(t, ok, "nothing is open")
	say(t, e, second, event.FromClient, callOne)
	at, ok := e.Next()
	assert.True(t, ok)
	assert.Equal(t, second+int64(testOptions().CallTimeout), at, "an open call keeps its session from being idle")
	say(t, e, 2*second, event.FromServer, replyOne)
	at, _ = e.Next()
	assert.Equal(t, 2*second+int64(testOptions().IdleTimeout), at)
	say(t, e, 3*second, event.FromServer, `{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"m"}}`)
	_, ok = e.Next()
	assert.False(t, ok, "a patient call never times out")
	assert.False(t, awake(e))
}

func TestIdleAtExactlyTheTimeOut(t *testing.T) {
	e := session.New(testOptions())
	say(t, e, second, event.FromClient, `{"jsonrpc":"2.0","method":"x"}`)
	due := second + int64(testOptions().IdleTimeout)
	_, found := sweep(e, due-1, true)
	require.False(t, found)
	told, found := sweep(e, due, false)
	require.True(t, found)
	require.Len(t, told.ended, 1)
	require.Equal(t, 1, e.Sizes().Sessions, "refused, so still open")
	told, _ = sweep(e, due, true)
	require.Contains(t, told.lines[0], "idle")
	require.Zero(t, e.Sizes().Sessions)
}

func TestACallTimesOut(t *testing.T) {
	e := session.New(testOptions())
	say(t, e, second, event.FromClient, callOne)
	due := second + int64(testOptions().CallTimeout)
	_, found := sweep(e, due-1, true)
	require.False(t, found)
	told, _ := sweep(e, due, true)
	require.Len(t, told.calls, 1)
	require.Contains(t, told.lines[0], "TIMEOUT")
	at, ok := e.Next()
	require.True(t, ok)
	require.Equal(t, due+int64(testOptions().IdleTimeout), at, "the time-out is the session's last sign of life")
	told, counts := say(t, e, due, event.FromServer, replyOne)
	require.Contains(t, told.lines[0], "rpc.orphan_reply")
	require.Equal(t, map[string]int64{session.OrphanReply: 1}, counts)
}

func TestOneTooManyIsEvictedAtOnce(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxOpenCalls = 1, 1
	e := session.New(opt)
	say(t, e, second, event.FromClient, callOne)
	require.False(t, awake(e))
	commit(t, e, 2*second, func(tx *session.Tx) error {
		return transport(t.Context(), tx, &event.Envelope{Arrival: 2 * second, Time: 2 * second, Session: "other"}, "connected")
	})
	require.True(t, awake(e))
	told, found := sweep(e, 2*second, true)
	require.True(t, found)
	require.Contains(t, told.lines[len(told.lines)-1], "evicted")
	_, found = sweep(e, 2*second, true)
	require.False(t, found)
}

func TestTooManyCallsEndTheOldest(t *testing.T) {
	opt := testOptions()
	opt.MaxOpenCalls = 2
	e := session.New(opt)
	for i, id := range []string{"1", "2", "3"} {
		say(t, e, second+int64(i), event.FromClient, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"n"}}`)
	}
	require.True(t, awake(e))
	told, _ := sweep(e, 2*second, true)
	require.Len(t, told.calls, 1)
	for c := range told.calls {
		require.Equal(t, "1", c.Key.ID)
	}
}

func TestAnEvictedSessionThatNobodyTakesIsLost(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxPending = 1, 1
	lost := 0
	opt.Lost = func(string) { lost++ }
	e := session.New(opt)
	for i, name := range []string{"a", "b", "c", "d"} {
		now := second + int64(i)
		commit(t, e, now, func(tx *session.Tx) error {
			return message(t.Context(), tx, &event.Envelope{Arrival: now, Time: now, Session: name}, parse(t, callOne))
		})
	}
	require.Equal(t, 1, lost, "one waits to be ended, twice the limit may stay open")
	require.Equal(t, store.Sizes{Sessions: 3, Calls: 3, CallBytes: e.Sizes().CallBytes, Phases: map[string]int{"": 3}}, e.Sizes())
	sound(t, e)
}

func TestDrainTakesAFewAtATime(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 1000
	e := session.New(opt)
	for i := range store.SweepMax + 1 {
		commit(t, e, second, func(tx *session.Tx) error {
			return transport(t.Context(), tx, &event.Envelope{Arrival: second, Time: second, Session: time.Duration(i).String()}, "connected")
		})
	}
	told := newStory(e)
	tx, found := e.Drain(told, stamp(second))
	tx.Commit()
	require.True(t, found)
	require.Len(t, told.ended, store.SweepMax)
	require.Equal(t, 1, e.Sizes().Sessions)
}
