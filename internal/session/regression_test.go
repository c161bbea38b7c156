package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// A transaction that was rolled back must leave a shared progress token with
// the call that had it.
func TestRollbackGivesAProgressTokenBack(t *testing.T) {
	tr := New(testOptions())
	say(t, tr, second, FromClient, callOne)
	before := snapshot(tr)
	tx := tr.Begin(second, newStory(), nil)
	o := &Observation{Arrival: second, Time: second, Session: "s", Connection: "c", Direction: FromClient}
	require.NoError(t, tx.Message(t.Context(), o, parse(t, `{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":{"progressToken":"t"}}}`)))
	tx.Rollback()
	require.Equal(t, before, snapshot(tr))
	told, _ := say(t, tr, second, FromServer, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
	require.Empty(t, told.lines, "the progress belongs to the open call")
}

// A connection that ends and speaks again in one body is a new one: its calls
// must not stay in the timers' lists for ever.
func TestAConnectionSpeaksAfterItsEnd(t *testing.T) {
	tr := New(testOptions())
	o := &Observation{Arrival: second, Time: second, Connection: "c", Direction: FromClient}
	commit(t, tr, second, func(tx *Tx) error {
		if err := tx.Message(t.Context(), o, parse(t, callOne)); err != nil {
			return err
		}
		if err := tx.End(t.Context(), o, "closed", nil); err != nil {
			return err
		}
		return tx.Message(t.Context(), o, parse(t, callOne))
	})
	sound(t, tr)
	require.Equal(t, 1, tr.Sizes().Calls)
	told, _ := sweep(tr, second+int64(tr.opt.CallTimeout), true)
	require.Len(t, told.calls, 1)
	_, found := sweep(tr, second+int64(tr.opt.CallTimeout), true)
	require.False(t, found, "there is always something to sweep")
}

func wait(tx *Tx, now int64, session string) error {
	o := &Observation{Arrival: now, Time: now, Session: session}
	return tx.Waiting(context.Background(), o, "name", "prompt", "{}", "raw")
}

// What waits hold is accounted for when they go on into the next epoch.
func TestWaitsKeepTheirWeightInTheNextEpoch(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans = 2
	tr := New(opt)
	commit(t, tr, second, func(tx *Tx) error { return wait(tx, second, "s") })
	held := tr.held
	require.Positive(t, held)
	commit(t, tr, second, func(tx *Tx) error {
		return tx.Message(t.Context(), &Observation{Arrival: second, Time: second, Session: "s"}, parse(t, callOne))
	})
	sound(t, tr)
}

// An error text that replaces another one weighs no more than itself.
func TestErrorTextsAreNotAddedUp(t *testing.T) {
	tr := New(testOptions())
	o := &Observation{Arrival: second, Time: second, Session: "s"}
	commit(t, tr, second, func(tx *Tx) error {
		for range 3 {
			require.NoError(t, tx.Started(t.Context(), o, Start{}))
		}
		require.NoError(t, tx.Finished(t.Context(), o, Finish{Status: "failed", Error: "first"}))
		return tx.Finished(t.Context(), o, Finish{Status: "failed", Error: "second"})
	})
	sound(t, tr)
}

// A heartbeat that counts nothing is a sign of life: it opens no epoch.
func TestASignOfLifeOpensNoEpoch(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans = 1
	tr := New(opt)
	o := &Observation{Arrival: second, Time: second, Session: "s"}
	commit(t, tr, second, func(tx *Tx) error { return tx.Told(t.Context(), o, &Event{Type: "X"}) })
	told, _ := commit(t, tr, second, func(tx *Tx) error {
		return tx.Beat(t.Context(), o, &Event{Kind: EventBeat, Type: "Heartbeat"})
	})
	require.Empty(t, told.lines)
}

// waitSink remembers the trace of a wait.
type waitSink struct {
	*story
	traces []identity.TraceID
}

func (s *waitSink) WaitEnded(e *WaitEnd) { s.traces = append(s.traces, e.Wait.Trace) }

// No span may have an empty trace ID: OTLP forbids it.
func TestAWaitWithoutSessionHasATrace(t *testing.T) {
	tr := New(testOptions())
	told := &waitSink{story: newStory()}
	tx := tr.Begin(second, told, nil)
	require.NoError(t, wait(tx, second, ""))
	tx.Finish()
	tx.Commit()
	require.Len(t, told.traces, 1)
	require.False(t, told.traces[0].IsZero())
}

// What could not be handed on must be tried again without a new message.
func TestARefusedEvictionWakesTheSweeperAgain(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 1
	tr := New(opt)
	for _, name := range []string{"a", "b"} {
		commit(t, tr, second, func(tx *Tx) error { return wait(tx, second, name) })
	}
	require.True(t, awake(tr))
	_, found := sweep(tr, second, false)
	require.True(t, found)
	at, ok := tr.Next()
	require.True(t, awake(tr) || ok && at <= second, "nobody tries again")
}
