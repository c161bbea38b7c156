package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// player runs a program on an Engine of its own.
type player struct {
	opt    session.Options
	engine *session.Engine
	told   *story
	opened map[*store.CallRecord]bool
	lost   int
}

func newPlayer(opt session.Options) *player {
	p := &player{opened: map[*store.CallRecord]bool{}}
	opt.Lost = func(string) { p.lost++ }
	p.opt, p.engine = opt, session.New(opt)
	p.told = newStory(p.engine)
	return p
}

func (p *player) step(t tb, s programStep) {
	before := snapshot(p.engine)
	told := newStory(p.engine)
	tx := p.begin(t, s, told)
	if s.rollback {
		tx.Rollback()
		require.Equal(t, before, snapshot(p.engine), "a transaction that was rolled back left something")
		return
	}
	for _, c := range txOf(tx).Opened() {
		p.opened[c] = true
	}
	tx.Commit()
	p.told.merge(told)
	sound(t, p.engine)
	store.Ordered(t, tableOf(p.engine))
}

func (p *player) begin(t tb, s programStep, told *story) *session.Tx {
	switch {
	case s.sweep:
		tx, _ := p.engine.Sweep(told, stamp(s.now))
		return tx
	case s.drain:
		tx, _ := p.engine.Drain(told, stamp(s.now))
		return tx
	}
	tx := p.engine.Begin(s.now, told, nil)
	for _, o := range s.ops {
		require.NoError(t, o.apply(context.Background(), t, tx, o.env), o.what)
	}
	tx.Finish()
	return tx
}

// finish ends all that is open and checks that all that began has ended.
func (p *player) finish(t tb, now int64) {
	p.sweepAll(t, now)
	for range 1000 {
		told := newStory(p.engine)
		tx, more := p.engine.Drain(told, stamp(now))
		tx.Commit()
		p.told.merge(told)
		if !more {
			break
		}
	}
	sound(t, p.engine)
	require.Equal(t, store.Sizes{}, p.engine.Sizes())
	require.Empty(t, tableOf(p.engine).Busy())
	require.Zero(t, tableOf(p.engine).Held())
	p.balanced(t)
	p.silences(t)
}

// sweepAll sweeps until nothing is due, after which the limits hold.
func (p *player) sweepAll(t tb, now int64) {
	more := true
	for i := 0; more; i++ {
		require.Less(t, i, 1000, "there is always something to sweep")
		told := newStory(p.engine)
		var tx *session.Tx
		tx, more = p.engine.Sweep(told, stamp(now))
		tx.Commit()
		p.told.merge(told)
	}
	sizes := p.engine.Sizes()
	require.LessOrEqual(t, sizes.Calls, p.opt.MaxOpenCalls)
	require.LessOrEqual(t, sizes.CallBytes, p.opt.MaxOpenBytes)
	require.Zero(t, tableOf(p.engine).Evicted())
}

func (p *player) balanced(t tb) {
	ended := 0
	for c, n := range p.told.calls {
		require.Equal(t, 1, n, "ends of call %s", c.Key.ID)
		if !p.opened[c] { // an agent's own span of a call that left before passes, and is completed
			require.Equal(t, 1, p.told.natives[c], "call %s ends unopened", c.Key.ID)
			continue
		}
		ended++
	}
	for s, n := range p.told.ended {
		require.Equal(t, 1, n, "ends of session %s", s.Identity)
		require.Equal(t, 1, p.told.started[s], "starts of session %s", s.Identity)
	}
	if p.lost > 0 {
		return // with what was open in them
	}
	require.Len(t, p.opened, ended, "not all calls ended")
	require.Len(t, p.told.ended, len(p.told.started), "not all sessions ended")
	for _, n := range p.told.waits {
		require.Zero(t, n, "waits")
	}
	for phase, n := range p.told.phases {
		require.Zero(t, n, "phase %s", phase.Name)
	}
	for agent, n := range p.told.agents {
		require.Zero(t, n, "sub-agent %s", agent)
	}
}

// silences checks that nothing is reported to be silent twice before it moves,
// nor to move again unless it was reported to be silent, and neither without
// cause.
func (p *player) silences(t tb) {
	silent := map[any]bool{}
	for _, s := range p.told.silences {
		require.Empty(t, s.fault, "%s: %v", s.what, s.about)
		switch s.what {
		case mcpconv.SpanHostStalled, mcpconv.SpanCallStuck:
			require.False(t, silent[s.about], "%s again: %v", s.what, s.about)
			silent[s.about] = true
		case mcpconv.SpanHostResumed, mcpconv.SpanCallReturned:
			require.True(t, silent[s.about], "%s: %v", s.what, s.about)
			silent[s.about] = false
		default:
			delete(silent, s.about)
		}
	}
}

func TestRollbackLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		all, committed := newPlayer(prog.opt), newPlayer(prog.opt)
		last := int64(0)
		for _, s := range prog.steps {
			all.step(t, s)
			if !s.rollback {
				committed.step(t, s)
			}
			last = s.now
		}
		all.finish(t, last)
		committed.finish(t, last)
		require.Equal(t, committed.told.lines, all.told.lines)
		require.Equal(t, committed.lost, all.lost)
	})
}

// A transaction that has to give up, in the middle of an event or before, leaves
// nothing either.
func TestGivingUpLeavesNoTrace(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel() // else it would wait for what it wants first
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		p := newPlayer(prog.opt)
		for _, s := range prog.steps {
			before := snapshot(p.engine)
			older := p.engine.Begin(s.now, newStory(p.engine), nil)
			book := rapid.SampledFrom([]store.Book{store.BySession, store.ByConnection}).Draw(t, "book")
			_, err := txOf(older).Touch(t.Context(), book, rapid.SampledFrom([]string{"a", "b", "h", "x", "y"}).Draw(t, "held"))
			require.NoError(t, err)
			tx := p.engine.Begin(s.now, newStory(p.engine), nil)
			for _, o := range s.ops {
				if err = o.apply(cancelled, t, tx, o.env); err != nil {
					require.True(t, session.Yielded(err) || errors.Is(err, context.Canceled), "%v", err)
					break
				}
			}
			tx.Rollback()
			older.Rollback()
			require.Equal(t, before, snapshot(p.engine))
			p.step(t, s)
		}
	})
}
