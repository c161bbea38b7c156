package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// crowd is many goroutines on one Engine.
type crowd struct {
	engine *session.Engine
	mu     sync.Mutex
	told   *story
	opened int
	yields int
	lost   atomic.Int64 // calls that nobody took in time
}

// commit keeps what a transaction reported.
func (c *crowd) commit(tx *session.Tx, told *story) {
	opened := len(txOf(tx).Opened())
	tx.Commit()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told.merge(told)
	c.opened += opened
}

// work runs one transaction as an intake does, over sessions in random order.
func (c *crowd) work(t *testing.T, r *rand.Rand, now int64, name string) {
	sessions := r.Perm(5)[:1+r.IntN(4)]
	var tx *session.Tx
	for {
		told := newStory(c.engine)
		tx = c.engine.Begin(now, told, tx)
		err := c.apply(t, tx, now, name, sessions)
		switch {
		case err == nil && r.IntN(3) > 0:
			c.commit(tx, told)
			return
		case err == nil:
			tx.Rollback()
			return
		}
		tx.Rollback()
		if !assert.True(t, session.Yielded(err)) || !assert.NoError(t, tx.Wait(t.Context())) {
			return
		}
		c.mu.Lock()
		c.yields++
		c.mu.Unlock()
	}
}

func (c *crowd) apply(t *testing.T, tx *session.Tx, now int64, name string, sessions []int) error {
	request := parse(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":"t"}}}`, name))
	progress := parse(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"m"}}`)
	for _, n := range sessions {
		o := &event.Envelope{Arrival: now, Time: now, Session: strconv.Itoa(n), Direction: event.FromClient}
		back := *o
		back.Direction = event.FromServer
		if err := message(t.Context(), tx, &back, progress); err != nil { // of a call that is open already
			return err
		}
		runtime.Gosched()
		if err := message(t.Context(), tx, o, request); err != nil {
			return err
		}
	}
	tx.Finish()
	return nil
}

// sweep ends what is too much until stop is closed, refusing now and then.
func (c *crowd) sweep(stop <-chan struct{}, now time.Time) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		told := newStory(c.engine)
		if tx, _ := c.engine.Sweep(told, now); i%3 == 0 {
			tx.Rollback()
		} else {
			c.commit(tx, told)
		}
		runtime.Gosched()
	}
}

// keep stores what changes until stop is closed, late now and then.
func (c *crowd) keep(t *testing.T, stop <-chan struct{}, kept shelf) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		changes, err := c.engine.Changes()
		if !assert.NoError(t, err) {
			return
		}
		if i%3 == 0 {
			runtime.Gosched()
		}
		if changes != nil {
			kept.put(changes)
		}
		runtime.Gosched()
	}
}

func TestManyTransactionsOnTheSameSessions(t *testing.T) {
	const workers, rounds = 8, 150
	opt := testOptions()
	opt.MaxOpenCalls, opt.MaxSpans, opt.MaxSessions = 10, 50, 4
	c := &crowd{}
	opt.Lost = func(string) { c.lost.Add(1) }
	c.engine = session.New(opt)
	c.told = newStory(c.engine)
	_, err := c.engine.Restore(shelf{}.records, 0, 0)
	require.NoError(t, err)
	now, kept := time.Unix(1000, 0), shelf{}
	var sweeper, work sync.WaitGroup
	stop := make(chan struct{})
	sweeper.Go(func() { c.sweep(stop, now) })
	sweeper.Go(func() { c.keep(t, stop, kept) })
	for w := range workers {
		work.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range rounds {
				c.work(t, r, now.UnixNano()+int64(i), fmt.Sprintf("%d-%d", w, i))
			}
		})
	}
	work.Wait()
	close(stop)
	sweeper.Wait()
	sound(t, c.engine)
	kept.take(t, c.engine)
	opt.MaxSessions, opt.MaxOpenCalls = 100, 1000 // nothing is pushed out by coming back
	again := session.New(opt)
	restored, err := again.Restore(kept.records, 0, 0)
	require.NoError(t, errors.Join(err, restored.Err))
	require.Zero(t, restored.Lost)
	sound(t, again)
	require.Equal(t, c.engine.Sizes().Calls, again.Sizes().Calls)
	c.drain(t, now)
}

// drain ends the rest and counts.
func (c *crowd) drain(t *testing.T, now time.Time) {
	for more := true; more; {
		told := newStory(c.engine)
		var tx *session.Tx
		tx, more = c.engine.Drain(told, now)
		c.commit(tx, told)
	}
	require.Equal(t, store.Sizes{}, c.engine.Sizes())
	require.Len(t, c.told.calls, c.opened-int(c.lost.Load()))
	for _, n := range c.told.calls {
		require.Equal(t, 1, n)
	}
	require.Equal(t, c.told.started, c.told.ended)
	t.Log(c.opened, "calls,", len(c.told.ended), "sessions,", c.yields, "yields")
}

// held is a transaction that holds the given sessions.
func held(t *testing.T, e *session.Engine, sessions ...string) *session.Tx {
	tx := e.Begin(second, newStory(e), nil)
	for _, s := range sessions {
		require.NoError(t, transport(t.Context(), tx, &event.Envelope{Time: second, Session: s}, "connected"))
	}
	return tx
}

func TestTheYoungerYields(t *testing.T) {
	e := session.New(testOptions())
	older, younger := held(t, e, "a"), held(t, e, "b")
	err := transport(t.Context(), younger, &event.Envelope{Time: second, Session: "a"}, "connected")
	require.True(t, session.Yielded(err))
	done := make(chan error, 1)
	go func() {
		done <- transport(t.Context(), older, &event.Envelope{Time: second, Session: "b"}, "connected")
	}()
	younger.Rollback()
	require.NoError(t, <-done)
	waited := make(chan error, 1)
	go func() { waited <- younger.Wait(t.Context()) }()
	older.Commit()
	require.NoError(t, <-waited)
	again := e.Begin(second, newStory(e), younger)
	require.Equal(t, txOf(younger).Age(), txOf(again).Age())
	require.NoError(t, transport(t.Context(), again, &event.Envelope{Time: second, Session: "a"}, "connected"))
	again.Commit()
	sound(t, e)
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	e := session.New(testOptions())
	holder := held(t, e, "a")
	ctx, cancel := context.WithCancel(t.Context())
	tx := e.Begin(second, newStory(e), nil)
	done := make(chan error, 1)
	go func() { done <- transport(ctx, tx, &event.Envelope{Time: second, Session: "a"}, "connected") }()
	cancel()
	err := <-done
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, session.Yielded(err))
	tx.Rollback()

	tx = held(t, e, "b")
	require.True(t, session.Yielded(transport(ctx, tx, &event.Envelope{Time: second, Session: "a"}, "connected")))
	tx.Rollback()
	require.ErrorIs(t, tx.Wait(ctx), context.Canceled)
	holder.Commit()
	sound(t, e)
}
