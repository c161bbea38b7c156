package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A transaction that was rolled back must leave a shared progress token with
// the call that had it.
func TestRollbackGivesAProgressTokenBack(t *testing.T) {
	e := session.New(testOptions())
	say(t, e, second, event.FromClient, callOne)
	before := snapshot(e)
	tx := e.Begin(second, newStory(e), nil)
	o := &event.Envelope{Arrival: second, Time: second, Session: "s", Connection: "c", Direction: event.FromClient}
	require.NoError(t, message(t.Context(), tx, o, parse(t, `{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":{"progressToken":"t"}}}`)))
	tx.Rollback()
	require.Equal(t, before, snapshot(e))
	told, _ := say(t, e, second, event.FromServer, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
	require.Empty(t, told.lines, "the progress belongs to the open call")
}

// A connection that ends and speaks again in one body is a new one: its calls
// must not stay in the timers' lists for ever.
func TestAConnectionSpeaksAfterItsEnd(t *testing.T) {
	e := session.New(testOptions())
	o := &event.Envelope{Arrival: second, Time: second, Connection: "c", Direction: event.FromClient}
	commit(t, e, second, func(tx *session.Tx) error {
		if err := message(t.Context(), tx, o, parse(t, callOne)); err != nil {
			return err
		}
		if err := closed(t.Context(), tx, o, "closed", nil); err != nil {
			return err
		}
		return message(t.Context(), tx, o, parse(t, callOne))
	})
	sound(t, e)
	require.Equal(t, 1, e.Sizes().Calls)
	told, _ := sweep(e, second+int64(testOptions().CallTimeout), true)
	require.Len(t, told.calls, 1)
	_, found := sweep(e, second+int64(testOptions().CallTimeout), true)
	require.False(t, found, "there is always something to sweep")
}

// An agent's session whose workflow finishes level by level has one end that is held: a
// second one must not push it aside.
func TestALevelFinishesWhileAnEndIsHeld(t *testing.T) {
	e := session.New(testOptions())
	env := &event.Envelope{Arrival: second, Time: second, Session: "s"}
	told := func(tx *session.Tx, all ...inspectorwire.Event) error {
		for i := range all {
			if err := inspected(t.Context(), tx, env, &all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	started := func(title string) inspectorwire.Event {
		return inspectorwire.Event{Type: inspectorwire.TypeSessionStarted, Title: title, StartTime: second}
	}
	finished := inspectorwire.Event{Type: inspectorwire.TypeSessionFinished, Finish: inspectorwire.Finish{Status: "completed"}}
	commit(t, e, second, func(tx *session.Tx) error {
		prompt := event.PromptSubmitted{SelfReport: event.SelfReport{Notice: event.Notice{Source: event.Hook}}}
		if err := tx.Apply(t.Context(), env, &prompt); err != nil {
			return err
		}
		return told(tx, started("a"), started("b"), started("c"), finished)
	})
	before := snapshot(e)
	tx := e.Begin(second, newStory(e), nil)
	require.NoError(t, told(tx, finished))
	tx.Rollback()
	require.Equal(t, before, snapshot(e))
	commit(t, e, second, func(tx *session.Tx) error { return told(tx, finished) })
	sound(t, e)
	sweep(e, 2*second+int64(time.Minute), true)
	require.Zero(t, e.Sizes().Calls)
}

func wait(tx *session.Tx, now int64, name string) error {
	o := &event.Envelope{Arrival: now, Time: now, Session: name}
	return inspected(context.Background(), tx, o, &inspectorwire.Event{
		Type: inspectorwire.TypeWaitingOnSignal, SignalName: "name", Prompt: "prompt", Schema: "{}", Raw: "raw",
	})
}

// What waits hold is accounted for when they go on into the next epoch.
func TestWaitsKeepTheirWeightInTheNextEpoch(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans = 2
	e := session.New(opt)
	commit(t, e, second, func(tx *session.Tx) error { return wait(tx, second, "s") })
	held := tableOf(e).Held()
	require.Positive(t, held)
	commit(t, e, second, func(tx *session.Tx) error {
		return message(t.Context(), tx, &event.Envelope{Arrival: second, Time: second, Session: "s"}, parse(t, callOne))
	})
	sound(t, e)
}

// An error text that replaces another one weighs no more than itself.
func TestErrorTextsAreNotAddedUp(t *testing.T) {
	e := session.New(testOptions())
	o := &event.Envelope{Arrival: second, Time: second, Session: "s"}
	commit(t, e, second, func(tx *session.Tx) error {
		for range 3 {
			require.NoError(t, inspected(t.Context(), tx, o, &inspectorwire.Event{Type: inspectorwire.TypeSessionStarted}))
		}
		fail := inspectorwire.Event{Type: inspectorwire.TypeSessionFinished, Finish: inspectorwire.Finish{Status: inspectorwire.StatusFailed, ErrorText: "first"}}
		require.NoError(t, inspected(t.Context(), tx, o, &fail))
		fail.ErrorText = "second"
		return inspected(t.Context(), tx, o, &fail)
	})
	sound(t, e)
}

// A heartbeat that counts nothing is a sign of life: it opens no epoch.
func TestASignOfLifeOpensNoEpoch(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans = 1
	e := session.New(opt)
	o := &event.Envelope{Arrival: second, Time: second, Session: "s"}
	commit(t, e, second, func(tx *session.Tx) error { return inspected(t.Context(), tx, o, &inspectorwire.Event{Type: "X"}) })
	told, _ := commit(t, e, second, func(tx *session.Tx) error {
		return inspected(t.Context(), tx, o, &inspectorwire.Event{Type: inspectorwire.TypeHeartbeat})
	})
	require.Empty(t, told.lines)
}

// waitSink remembers the trace of a wait.
type waitSink struct {
	*story
	traces []identity.TraceID
}

func (s *waitSink) WaitEnded(e *session.WaitEnd) { s.traces = append(s.traces, e.Wait.Trace) }

// No span may have an empty trace ID: OTLP forbids it.
func TestAWaitWithoutSessionHasATrace(t *testing.T) {
	e := session.New(testOptions())
	told := &waitSink{story: newStory(e)}
	tx := e.Begin(second, told, nil)
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
	e := session.New(opt)
	for _, name := range []string{"a", "b"} {
		commit(t, e, second, func(tx *session.Tx) error { return wait(tx, second, name) })
	}
	require.True(t, awake(e))
	_, found := sweep(e, second, false)
	require.True(t, found)
	at, ok := e.Next()
	require.True(t, awake(e) || ok && at <= second, "nobody tries again")
}

// The routes of a connection that carries sessions change in place.
func TestRollbackRestoresRoutes(t *testing.T) {
	e := session.New(testOptions())
	prompt := func(tx *session.Tx, id int) error {
		env := &event.Envelope{Arrival: second, Time: second, Session: "a", Connection: "x", Direction: event.FromClient, ACP: true}
		return message(context.Background(), tx, env, parse(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"prompt":[]}}`, id)))
	}
	reply := func(tx *session.Tx, id int) error {
		env := &event.Envelope{Arrival: second, Time: second, Connection: "x", Direction: event.FromServer, ACP: true}
		return message(context.Background(), tx, env, parse(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, id)))
	}
	commit(t, e, second, func(tx *session.Tx) error { return errors.Join(prompt(tx, 1), prompt(tx, 2)) })
	before := snapshot(e)
	require.Equal(t, 2, strings.Count(before, "redirect "))
	tx := e.Begin(second, newStory(e), nil)
	require.NoError(t, errors.Join(prompt(tx, 3), reply(tx, 1), reply(tx, 2), prompt(tx, 2), prompt(tx, 4), reply(tx, 3)))
	require.NotEqual(t, before, snapshot(e))
	tx.Rollback()
	require.Equal(t, before, snapshot(e))
}

// Calls whose replies may be lost keep no session open for ever, nor the host that they
// belong to, and make room before those that surely wait for theirs.
func TestCallsWithLostRepliesGoFirst(t *testing.T) {
	opt := testOptions()
	opt.MaxOpenCalls, opt.CallTimeout = 2, time.Hour
	e := session.New(opt)
	lost := func(now int64) {
		say(t, e, now, event.FromClient, `{"jsonrpc":"2.0","method":"notifications/mcptap/dropped","params":{"records":1}}`)
	}
	say(t, e, 1*second, event.FromClient, callOne)
	say(t, e, 2*second, event.FromClient, strings.Replace(callOne, `"id":1`, `"id":2`, 1))
	lost(3 * second)
	sound(t, e)
	env := event.Envelope{Arrival: 4 * second, Time: 4 * second, Session: "other", Direction: event.FromClient}
	commit(t, e, 4*second, func(tx *session.Tx) error { return message(t.Context(), tx, &env, parse(t, callOne)) })
	told, found := sweep(e, 5*second, true)
	require.True(t, found)
	require.Len(t, told.calls, 1)
	for c := range told.calls {
		require.Equal(t, store.CallKey{Connection: "c", ID: "1", FromClient: true}, c.Key)
	}
	require.Equal(t, 2, e.Sizes().Calls)
	told, _ = sweep(e, 3*second+int64(opt.IdleTimeout), true)
	require.Len(t, told.ended, 1, "nothing is heard of it")
	for s := range told.ended {
		require.Equal(t, "s", s.ID)
	}
	sound(t, e)
}

// Files of sessions that nobody tells of make room for each other, and not for sessions
// that ended.
func TestRootsInFilesLeaveEndedSessionsKnown(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 2
	e := session.New(opt)
	say(t, e, 1*second, event.FromClient, callOne)
	env := event.Envelope{Arrival: 2 * second, Time: 2 * second, Session: "s", Connection: "c"}
	commit(t, e, 2*second, func(tx *session.Tx) error { return closed(t.Context(), tx, &env, "", nil) })
	for i := range int64(5) {
		now := (3 + i) * second
		found := event.Envelope{Arrival: now, Time: now, Session: fmt.Sprint("f", i)}
		commit(t, e, now, func(tx *session.Tx) error { return tx.Apply(t.Context(), &found, &event.FileRootFound{}) })
		sound(t, e)
	}
	require.Equal(t, store.Ended, tableOf(e).State("s"))
	require.Equal(t, 3, tableOf(e).Names())
}
