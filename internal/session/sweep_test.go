package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func awake(tr *Tracker) bool {
	select {
	case <-tr.Wake():
		return true
	default:
		return false
	}
}

// sweep runs one sweep and commits or rolls back.
func sweep(tr *Tracker, now int64, ok bool) (*story, bool) {
	told := newStory()
	tx, found := tr.Sweep(told, stamp(now))
	if ok {
		tx.Commit()
	} else {
		tx.Rollback()
	}
	return told, found
}

func TestNext(t *testing.T) {
	tr := New(testOptions())
	_, ok := tr.Next()
	assert.False(t, ok, "nothing is open")
	say(t, tr, second, FromClient, callOne)
	at, ok := tr.Next()
	assert.True(t, ok)
	assert.Equal(t, second+int64(tr.opt.CallTimeout), at, "an open call keeps its session from being idle")
	say(t, tr, 2*second, FromServer, replyOne)
	at, _ = tr.Next()
	assert.Equal(t, 2*second+int64(tr.opt.IdleTimeout), at)
	say(t, tr, 3*second, FromServer, `{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"m"}}`)
	_, ok = tr.Next()
	assert.False(t, ok, "a patient call never times out")
	assert.False(t, awake(tr))
}

func TestIdleAtExactlyTheTimeOut(t *testing.T) {
	tr := New(testOptions())
	say(t, tr, second, FromClient, `{"jsonrpc":"2.0","method":"x"}`)
	due := second + int64(tr.opt.IdleTimeout)
	_, found := sweep(tr, due-1, true)
	require.False(t, found)
	told, found := sweep(tr, due, false)
	require.True(t, found)
	require.Len(t, told.ended, 1)
	require.Equal(t, 1, tr.Sizes().Sessions, "refused, so still open")
	told, _ = sweep(tr, due, true)
	require.Contains(t, told.lines[0], "idle")
	require.Zero(t, tr.Sizes().Sessions)
}

func TestACallTimesOut(t *testing.T) {
	tr := New(testOptions())
	say(t, tr, second, FromClient, callOne)
	due := second + int64(tr.opt.CallTimeout)
	_, found := sweep(tr, due-1, true)
	require.False(t, found)
	told, _ := sweep(tr, due, true)
	require.Len(t, told.calls, 1)
	require.Contains(t, told.lines[0], "TIMEOUT")
	at, ok := tr.Next()
	require.True(t, ok)
	require.Equal(t, due+int64(tr.opt.IdleTimeout), at, "the time-out is the session's last sign of life")
	told, counts := say(t, tr, due, FromServer, replyOne)
	require.Contains(t, told.lines[0], "rpc.orphan_reply")
	require.Equal(t, map[string]int64{OrphanReply: 1}, counts)
}

func TestOneTooManyIsEvictedAtOnce(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxOpenCalls = 1, 1
	tr := New(opt)
	say(t, tr, second, FromClient, callOne)
	require.False(t, awake(tr))
	commit(t, tr, 2*second, func(tx *Tx) error {
		return tx.Transport(t.Context(), &Observation{Arrival: 2 * second, Time: 2 * second, Session: "other"}, "connected")
	})
	require.True(t, awake(tr))
	told, found := sweep(tr, 2*second, true)
	require.True(t, found)
	require.Contains(t, told.lines[len(told.lines)-1], "evicted")
	_, found = sweep(tr, 2*second, true)
	require.False(t, found)
}

func TestTooManyCallsEndTheOldest(t *testing.T) {
	opt := testOptions()
	opt.MaxOpenCalls = 2
	tr := New(opt)
	for i, id := range []string{"1", "2", "3"} {
		say(t, tr, second+int64(i), FromClient, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"n"}}`)
	}
	require.True(t, awake(tr))
	told, _ := sweep(tr, 2*second, true)
	require.Len(t, told.calls, 1)
	for c := range told.calls {
		require.Equal(t, "1", c.ID)
	}
}

func TestAnEvictedSessionThatNobodyTakesIsLost(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxPending = 1, 1
	lost := 0
	opt.Lost = func(string) { lost++ }
	tr := New(opt)
	for i, name := range []string{"a", "b", "c", "d"} {
		now := second + int64(i)
		commit(t, tr, now, func(tx *Tx) error {
			return tx.Message(t.Context(), &Observation{Arrival: now, Time: now, Session: name}, parse(t, callOne))
		})
	}
	require.Equal(t, 1, lost, "one waits to be ended, twice the limit may stay open")
	require.Equal(t, Sizes{Sessions: 3, Calls: 3, CallBytes: tr.bytes, Phases: map[string]int{"": 3}}, tr.Sizes())
	sound(t, tr)
}

func TestDrainTakesAFewAtATime(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 1000
	tr := New(opt)
	for i := range sweepMax + 1 {
		commit(t, tr, second, func(tx *Tx) error {
			return tx.Transport(t.Context(), &Observation{Arrival: second, Time: second, Session: time.Duration(i).String()}, "connected")
		})
	}
	told := newStory()
	tx, found := tr.Drain(told, stamp(second))
	tx.Commit()
	require.True(t, found)
	require.Len(t, told.ended, sweepMax)
	require.Equal(t, 1, tr.Sizes().Sessions)
}
