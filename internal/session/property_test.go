package session

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// player runs a program on a Tracker of its own.
type player struct {
	tr     *Tracker
	told   *story
	opened map[*Call]bool
	lost   int
}

func newPlayer(opt Options) *player {
	p := &player{told: newStory(), opened: map[*Call]bool{}}
	opt.Lost = func(string) { p.lost++ }
	p.tr = New(opt)
	return p
}

func (p *player) step(t tb, s programStep) {
	before := snapshot(p.tr)
	told := newStory()
	tx := p.begin(t, s, told)
	if s.rollback {
		tx.Rollback()
		require.Equal(t, before, snapshot(p.tr), "a transaction that was rolled back left something")
		return
	}
	for _, c := range tx.opened {
		if !c.dropped {
			p.opened[c] = true
		}
	}
	tx.Commit()
	p.told.merge(told)
	sound(t, p.tr)
	ordered(t, p.tr)
}

func (p *player) begin(t tb, s programStep, told *story) *Tx {
	switch {
	case s.sweep:
		tx, _ := p.tr.Sweep(told, stamp(s.now))
		return tx
	case s.drain:
		tx, _ := p.tr.Drain(told, stamp(s.now))
		return tx
	}
	tx := p.tr.Begin(s.now, told, nil)
	for _, o := range s.ops {
		require.NoError(t, o.apply(t, tx, o.o), o.what)
	}
	tx.Finish()
	return tx
}

// finish ends all that is open and checks that all that began has ended.
func (p *player) finish(t tb, now int64) {
	p.sweepAll(t, now)
	for range 1000 {
		told := newStory()
		tx, more := p.tr.Drain(told, stamp(now))
		tx.Commit()
		p.told.merge(told)
		if !more {
			break
		}
	}
	sound(t, p.tr)
	require.Equal(t, Sizes{}, p.tr.Sizes())
	require.Empty(t, p.tr.busy)
	require.Zero(t, p.tr.held)
	p.balanced(t)
	p.silences(t)
}

// sweepAll sweeps until nothing is due, after which the limits hold.
func (p *player) sweepAll(t tb, now int64) {
	more := true
	for i := 0; more; i++ {
		require.Less(t, i, 1000, "there is always something to sweep")
		told := newStory()
		var tx *Tx
		tx, more = p.tr.Sweep(told, stamp(now))
		tx.Commit()
		p.told.merge(told)
	}
	require.LessOrEqual(t, p.tr.calls.n+p.tr.patient.n, p.tr.opt.MaxOpenCalls)
	require.LessOrEqual(t, p.tr.bytes, p.tr.opt.MaxOpenBytes)
	require.Zero(t, p.tr.out.n)
}

func (p *player) balanced(t tb) {
	for c, n := range p.told.calls {
		require.Equal(t, 1, n, "ends of call %s", c.ID)
		require.True(t, p.opened[c])
	}
	for s, n := range p.told.ended {
		require.Equal(t, 1, n, "ends of session %s", s.Identity)
		require.Equal(t, 1, p.told.started[s], "starts of session %s", s.Identity)
	}
	if p.lost > 0 {
		return // with what was open in them
	}
	require.Len(t, p.told.calls, len(p.opened), "not all calls ended")
	require.Len(t, p.told.ended, len(p.told.started), "not all sessions ended")
	for _, n := range p.told.waits {
		require.Zero(t, n, "waits")
	}
	for phase, n := range p.told.phases {
		require.Zero(t, n, "phase %s", phase.Name)
	}
	for agent, n := range p.told.agents {
		require.Zero(t, n, "sub-agent %s", agent.ID)
	}
}

// silences checks that nothing is told to be silent twice before it moves, nor to
// move again unless it was told to be silent, and neither without cause.
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
