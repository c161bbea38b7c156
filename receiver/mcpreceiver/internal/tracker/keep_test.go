package tracker

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shelf is a storage: records by place.
type shelf map[int32][]byte

// take stores all that a Tracker has for it.
func (s shelf) take(t tb, tr *Tracker) {
	t.Helper()
	for {
		c, err := tr.Changes()
		require.NoError(t, err)
		if c == nil {
			return
		}
		for _, r := range c.Records {
			require.Positive(t, r.Place)
			require.LessOrEqual(t, r.Place, c.Last)
		}
		s.put(c)
	}
}

func (s shelf) put(c *Changes) {
	for _, r := range c.Records {
		if s[r.Place] = r.Data; r.Data == nil {
			delete(s, r.Place)
		}
	}
	c.Stored()
}

func (s shelf) records(yield func(Record, error) bool) {
	for place, data := range s {
		if !yield(Record{place, data}, nil) {
			return
		}
	}
}

// newKeeping is a player whose Tracker has Changes to ask for.
func newKeeping(t tb, opt Options) *player {
	t.Helper()
	p := newPlayer(opt)
	_, err := p.tr.Restore(shelf{}.records, 0, 0)
	require.NoError(t, err)
	return p
}

// restart makes the player go on with a Tracker that knows only what is stored.
func (p *player) restart(t tb, s shelf, stored, now int64) {
	t.Helper()
	s.take(t, p.tr)
	before := p.tr.Sizes()
	p.tr = New(p.tr.opt)
	r, err := p.tr.Restore(s.records, stored, now)
	require.NoError(t, errors.Join(err, r.Err))
	require.Zero(t, r.Lost)
	require.Equal(t, before, p.tr.Sizes())
	sound(t, p.tr)
	ordered(t, p.tr)
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
				restarted.restart(t, kept, s.now, s.now)
			}
			for _, p := range []*player{plain, restarted} {
				p.sweepAll(t, s.now)
			}
		}
		last := prog.steps[len(prog.steps)-1].now
		plain.drain(last)
		restarted.drain(last)
		require.ElementsMatch(t, plain.told.lines, restarted.told.lines)
		kept.take(t, restarted.tr)
		open := 0
		for _, data := range kept {
			v, err := decodeSaved(data)
			require.NoError(t, err)
			if v.Call != nil || v.Session.Ended == 0 {
				open++
			}
		}
		require.Zero(t, open, "records of what has ended")
		require.Len(t, kept, len(restarted.tr.books[bySession])+len(restarted.tr.books[byConnection]))
	})
}

// drain ends all that is open.
func (p *player) drain(now int64) {
	for more := true; more; {
		var tx *Tx
		tx, more = p.tr.Drain(p.told, stamp(now))
		tx.Commit()
	}
}

// What could not be stored comes again, with what happened since.
func TestChangesThatFailedComeAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		p, kept := newKeeping(t, prog.opt), shelf{}
		for _, s := range prog.steps {
			p.step(t, s)
			c, err := p.tr.Changes()
			require.NoError(t, err)
			if c != nil {
				c.Failed()
			}
		}
		kept.take(t, p.tr)
		all := map[int32]bool{}
		for _, book := range p.tr.books {
			for _, e := range book {
				all[e.place] = true
				for c := range e.s.everyOpen {
					all[c.place] = true
				}
			}
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(all)), slices.Collect(maps.Keys(kept)))
	})
}

// Nothing is to be heard while nobody listens: time-outs go on where they stopped.
func TestTimeAwayDoesNotCount(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	p.restart(t, kept, 1030*second, 5000*second)
	next, ok := p.tr.Next()
	assert.True(t, ok)
	assert.Equal(t, 5090*second, next, "the call's time-out of 2m, of which 30s are over")
	p.say(t, 5010*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	next, _ = p.tr.Next()
	assert.Equal(t, 5070*second, next, "the session's")
}

func (p *player) say(t tb, now int64, text string) {
	t.Helper()
	tx := p.tr.Begin(now, p.told, nil)
	o := Observation{Arrival: now, Time: now, Session: "a"}
	require.NoError(t, tx.Message(t.(*testing.T).Context(), &o, parse(t, text)))
	tx.Finish()
	tx.Commit()
}

// A record that cannot be read, or belongs to nothing, costs nothing else, and is
// taken away.
func TestRestoreSkipsWhatIsBroken(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	kept.take(t, p.tr)
	require.Len(t, kept, 2)
	orphan := encode(t, saved{Format: savedFormat, Call: &savedCall{Of: "nobody"}})
	kept[7], kept[9], kept[12] = []byte("\xff"), orphan, encode(t, saved{Format: 99})
	kept[20] = encode(t, saved{Format: savedFormat})

	tr := New(testOptions())
	r, err := tr.Restore(kept.records, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Sessions)
	assert.Equal(t, 1, r.Calls)
	assert.Equal(t, 4, r.Lost)
	require.Error(t, r.Err)
	kept.take(t, tr)
	assert.Len(t, kept, 2)
	assert.ElementsMatch(t, numbers(3, 21), next(tr, 19), "all places are used again")
}

// next are the places that would be taken next.
func next(tr *Tracker, n int) (places []int32) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for range n {
		var place int32
		tr.occupy(&place)
		places = append(places, place)
	}
	return places
}

func numbers(from, to int32) (all []int32) {
	for ; from <= to; from++ {
		all = append(all, from)
	}
	return all
}

func encode(t *testing.T, v saved) []byte {
	c := Changes{}
	require.NoError(t, c.add(1, v))
	return c.Records[0].Data
}

// A storage that cannot be read to its end brings back nothing, and nothing is to
// be stored over what it has.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	kept.take(t, p.tr)
	broken := errors.New("the disk is gone")
	p = newPlayer(testOptions())
	_, err := p.tr.Restore(func(yield func(Record, error) bool) {
		kept.records(yield)
		yield(Record{}, broken)
	}, 0, 0)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, Sizes{}, p.tr.Sizes())
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	c, err := p.tr.Changes()
	require.NoError(t, err)
	assert.Nil(t, c)
}

// Whatever is in the storage: it is read or given up.
func FuzzRestore(f *testing.F) {
	p, kept := newKeeping(f, testOptions()), shelf{}
	tx := p.tr.Begin(second, p.told, nil)
	o := Observation{Arrival: second, Time: second, Session: "a"}
	require.NoError(f, tx.Message(f.Context(), &o, parse(f, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
	tx.Commit()
	kept.take(f, p.tr)
	f.Add(kept[1], kept[2])
	f.Fuzz(func(t *testing.T, one, other []byte) {
		tr := New(testOptions())
		_, err := tr.Restore(shelf{1: one, 2: other}.records, 0, 0)
		require.NoError(t, err)
		for range 10 {
			tx, _ := tr.Drain(newStory(), stamp(second))
			tx.Commit()
		}
	})
}
