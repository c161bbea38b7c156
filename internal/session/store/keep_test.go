package store_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// shelf is a storage: records by slot.
type shelf map[int32][]byte

// take stores all that an Engine has for it.
func (s shelf) take(t tb, e *session.Engine) {
	t.Helper()
	for {
		c, err := e.Changes()
		require.NoError(t, err)
		if c == nil {
			return
		}
		for _, r := range c.Records {
			require.Positive(t, r.Slot)
			require.LessOrEqual(t, r.Slot, c.Last)
		}
		s.put(c)
	}
}

func (s shelf) put(c *session.Changes) {
	for _, r := range c.Records {
		if s[r.Slot] = r.Data; r.Data == nil {
			delete(s, r.Slot)
		}
	}
	c.Stored()
}

func (s shelf) records(yield func(session.Record, error) bool) {
	for slot, data := range s {
		if !yield(session.Record{Slot: slot, Data: data}, nil) {
			return
		}
	}
}

// newKeeping is a player whose Engine has Changes to ask for.
func newKeeping(t tb, opt session.Options) *player {
	t.Helper()
	p := newPlayer(opt)
	_, err := p.engine.Restore(shelf{}.records, 0, 0)
	require.NoError(t, err)
	return p
}

// restart makes the player go on with an Engine that knows only what is stored.
func (p *player) restart(t tb, s shelf, away, now int64) {
	t.Helper()
	s.take(t, p.engine)
	before := p.engine.Sizes()
	p.engine = session.New(p.opt)
	r, err := p.engine.Restore(s.records, away, now)
	require.NoError(t, errors.Join(err, r.Err))
	require.Zero(t, r.Lost)
	require.Equal(t, before, p.engine.Sizes())
	sound(t, p.engine)
	store.Ordered(t, tableOf(p.engine))
}

// Whatever is open: after a restart it goes on as if there had been none. Only
// whom the limits push out may be another of those that are equals, so they are
// not reached here.
func TestRestartChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		prog.opt.MaxSessions, prog.opt.MaxOpenCalls, prog.opt.MaxOpenBytes = 100, 100, 1<<20
		plain, restarted, kept := newPlayer(prog.opt), newKeeping(t, prog.opt), shelf{}
		for _, s := range prog.steps {
			plain.step(t, s)
			restarted.step(t, s)
			if rapid.Bool().Draw(t, "restart") {
				restarted.restart(t, kept, 0, s.now)
			}
			for _, p := range []*player{plain, restarted} {
				p.sweepAll(t, s.now)
			}
		}
		last := prog.steps[len(prog.steps)-1].now
		plain.drain(last)
		restarted.drain(last)
		require.ElementsMatch(t, plain.told.lines, restarted.told.lines)
		kept.take(t, restarted.engine)
		open, parts := 0, 0
		for _, data := range kept {
			var v store.RecordData
			require.NoError(t, v.Unmarshal(data))
			switch {
			case v.Part != nil:
				parts++
			case v.Call != nil, v.Session.Ended == 0:
				open++
			}
		}
		require.Zero(t, open, "records of what has ended")
		require.Len(t, kept, tableOf(restarted.engine).Names()+parts)
	})
}

// drain ends all that is open.
func (p *player) drain(now int64) {
	for more := true; more; {
		var tx *session.Tx
		tx, more = p.engine.Drain(p.told, stamp(now))
		tx.Commit()
	}
}

// Nothing is to be heard while nobody listens: time-outs go on where they stopped.
func TestTimeAwayDoesNotCount(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	away := (5000 - 1030) * second
	p.restart(t, kept, away, 5000*second)
	next, ok := p.engine.Next()
	assert.True(t, ok)
	assert.Equal(t, 5090*second, next, "the call's time-out of 2m, of which 30s are over")
	p.restart(t, kept, away+(9000-5010)*second, 9000*second)
	next, _ = p.engine.Next()
	assert.Equal(t, 9080*second, next, "and 10s more, though nothing was stored between")
	p.say(t, 9010*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	next, _ = p.engine.Next()
	assert.Equal(t, 9070*second, next, "the session's")
}

func (p *player) say(t tb, now int64, text string) {
	t.Helper()
	tx := p.engine.Begin(now, p.told, nil)
	o := event.Envelope{Arrival: now, Time: now, Session: "a"}
	require.NoError(t, message(t.(*testing.T).Context(), tx, &o, parse(t, text)))
	tx.Finish()
	tx.Commit()
}

// The time to live of a task is its server's, which goes on meanwhile; how long we
// wait for somebody to ask for its result is ours, and does not.
func TestTimeAwayAndTasks(t *testing.T) {
	const status = `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"k","status":%q,"ttl":60000}}`
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"k","status":"working","ttl":60000}}}`)
	before, ok := p.engine.Next()
	require.True(t, ok)
	p.restart(t, kept, 10*second, 1010*second)
	after, _ := p.engine.Next()
	assert.Equal(t, before, after, "of the task")
	p.say(t, 1011*second, fmt.Sprintf(status, "completed"))
	before, _ = p.engine.Next()
	p.restart(t, kept, 30*second, 1031*second)
	after, _ = p.engine.Next()
	assert.Equal(t, before+20*second, after, "of its result")
}

func TestTimeAwayDoesNotLinger(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	p.end(t, 1001*second)
	p.restart(t, kept, 60*second, 1062*second)
	p.say(t, 1063*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	assert.Equal(t, session.Ended, p.engine.State("a"), "a late reply reopens nothing")
}

func (p *player) end(t *testing.T, now int64) {
	t.Helper()
	tx := p.engine.Begin(now, p.told, nil)
	require.NoError(t, closed(t.Context(), tx, &event.Envelope{Arrival: now, Time: now, Session: "a"}, "", nil))
	tx.Commit()
}

// A session that somebody always works on is copied by who lets go of it.
func TestWhatIsInUseIsStoredToo(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"n"}}`)
	for i := range 10 {
		tx := p.engine.Begin(1001*second, p.told, nil)
		require.NoError(t, transport(t.Context(), tx, &event.Envelope{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
		kept.take(t, p.engine)
		require.Empty(t, kept)
		if i%2 == 0 {
			tx.Commit()
		} else {
			tx.Rollback()
		}
		next := p.engine.Begin(1001*second, p.told, nil) // before anybody can look
		require.NoError(t, transport(t.Context(), next, &event.Envelope{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
		kept.take(t, p.engine)
		require.Len(t, kept, 2)
		next.Commit()
		p.restart(t, kept, 0, 1001*second)
		clear(kept)
		tableOf(p.engine).MarkAllDirty()
	}
}

// What ended after it was copied leaves no record behind.
func TestCopiesOfWhatIsGone(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"n"}}`)
	tx := p.engine.Begin(1001*second, p.told, nil)
	require.NoError(t, transport(t.Context(), tx, &event.Envelope{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
	kept.take(t, p.engine)
	tx.Commit() // lends
	p.say(t, 1002*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	kept.take(t, p.engine)
	assert.Len(t, kept, 1, "the session")
}

// While a storage hangs or fails, what is open is all that waits for it.
func TestWaitingForStorageIsBounded(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 10
	p := newKeeping(t, opt)
	pending, err := p.engine.Changes()
	require.NoError(t, err)
	require.Nil(t, pending)
	for i := range 2000 {
		tx := p.engine.Begin(second, p.told, nil)
		o := event.Envelope{Arrival: second, Time: second, Session: strconv.Itoa(i)}
		require.NoError(t, message(t.Context(), tx, &o, parse(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
		require.NoError(t, closed(t.Context(), tx, &o, "", nil))
		tx.Commit()
	}
	assert.LessOrEqual(t, p.engine.Changed(), 11)
}
