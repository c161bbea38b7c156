package session

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
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
func (p *player) restart(t tb, s shelf, away, now int64) {
	t.Helper()
	s.take(t, p.tr)
	before := p.tr.Sizes()
	p.tr = New(p.tr.opt)
	r, err := p.tr.Restore(s.records, away, now)
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

// Nothing is to be heard while nobody listens: time-outs go on where they stopped.
func TestTimeAwayDoesNotCount(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	away := (5000 - 1030) * second
	p.restart(t, kept, away, 5000*second)
	next, ok := p.tr.Next()
	assert.True(t, ok)
	assert.Equal(t, 5090*second, next, "the call's time-out of 2m, of which 30s are over")
	p.restart(t, kept, away+(9000-5010)*second, 9000*second)
	next, _ = p.tr.Next()
	assert.Equal(t, 9080*second, next, "and 10s more, though nothing was stored between")
	p.say(t, 9010*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	next, _ = p.tr.Next()
	assert.Equal(t, 9070*second, next, "the session's")
}

func (p *player) say(t tb, now int64, text string) {
	t.Helper()
	tx := p.tr.Begin(now, p.told, nil)
	o := Observation{Arrival: now, Time: now, Session: "a"}
	require.NoError(t, tx.Message(t.(*testing.T).Context(), &o, parse(t, text)))
	tx.Finish()
	tx.Commit()
}

func TestTimeAwayDoesNotLinger(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	p.end(t, 1001*second)
	p.restart(t, kept, 60*second, 1062*second)
	p.say(t, 1063*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	assert.Equal(t, SessionEnded, p.tr.SessionState("a"), "a late reply reopens nothing")
}

func (p *player) end(t *testing.T, now int64) {
	t.Helper()
	tx := p.tr.Begin(now, p.told, nil)
	require.NoError(t, tx.End(t.Context(), &Observation{Arrival: now, Time: now, Session: "a"}, "", nil))
	tx.Commit()
}

// A session that somebody always works on is copied by who lets go of it.
func TestWhatIsInUseIsStoredToo(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	for i := range 10 {
		tx := p.tr.Begin(1001*second, p.told, nil)
		require.NoError(t, tx.Transport(t.Context(), &Observation{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
		kept.take(t, p.tr)
		require.Empty(t, kept)
		if i%2 == 0 {
			tx.Commit()
		} else {
			tx.Rollback()
		}
		next := p.tr.Begin(1001*second, p.told, nil) // before anybody can look
		require.NoError(t, next.Transport(t.Context(), &Observation{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
		kept.take(t, p.tr)
		require.Len(t, kept, 2)
		next.Commit()
		p.restart(t, kept, 0, 1001*second)
		clear(kept)
		p.tr.mu.Lock()
		for _, e := range p.tr.books[bySession] { // all is to be stored again
			p.tr.alter(e)
			for c := range e.s.everyOpen {
				p.tr.alterCall(c)
			}
		}
		p.tr.mu.Unlock()
	}
}

// What ended after it was copied leaves no record behind.
func TestCopiesOfWhatIsGone(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	tx := p.tr.Begin(1001*second, p.told, nil)
	require.NoError(t, tx.Transport(t.Context(), &Observation{Arrival: 1001 * second, Time: 1001 * second, Session: "a"}, "connected"))
	kept.take(t, p.tr)
	tx.Commit() // lends
	p.say(t, 1002*second, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	kept.take(t, p.tr)
	assert.Len(t, kept, 1, "the session")
}

// While a storage hangs or fails, what is open is all that waits for it.
func TestWaitingForStorageIsBounded(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions = 10
	p := newKeeping(t, opt)
	pending, err := p.tr.Changes()
	require.NoError(t, err)
	require.Nil(t, pending)
	for i := range 2000 {
		tx := p.tr.Begin(second, p.told, nil)
		o := Observation{Arrival: second, Time: second, Session: strconv.Itoa(i)}
		require.NoError(t, tx.Message(t.Context(), &o, parse(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
		require.NoError(t, tx.End(t.Context(), &o, "", nil))
		tx.Commit()
	}
	assert.LessOrEqual(t, p.tr.Changed(), 11)
}

// Limits that are lower than before end what is too much; nothing is dropped.
func TestLowerLimits(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxOpenCalls, opt.MaxPending = 1000, 1000, 100
	p, kept := newKeeping(t, opt), shelf{}
	for i := range 900 {
		tx := p.tr.Begin(second, p.told, nil)
		o := Observation{Arrival: second, Time: second, Session: strconv.Itoa(i)}
		require.NoError(t, tx.Message(t.Context(), &o, parse(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
		tx.Commit()
	}
	kept.take(t, p.tr)
	opt.MaxSessions, opt.MaxOpenCalls = 100, 50
	p = newPlayer(opt)
	r, err := p.tr.Restore(kept.records, 0, second)
	require.NoError(t, err)
	assert.Equal(t, 900, r.Sessions)
	assert.Equal(t, 900, r.Calls)
	p.sweepAll(t, second)
	assert.Zero(t, p.lost)
	assert.Len(t, p.told.ended, 800)
	assert.LessOrEqual(t, p.tr.Sizes().Calls, 50)
	sound(t, p.tr)
}

func TestFewerProgressEvents(t *testing.T) {
	for _, limits := range [][2]int{{4, 8}, {8, 4}} {
		opt := testOptions()
		opt.ProgressEvents = limits[0]
		p, kept := newKeeping(t, opt), shelf{}
		p.say(t, second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":"t"}}}`)
		for i := range 16 {
			if i == 10 {
				opt.ProgressEvents = limits[1]
				p.tr.opt = opt
				p.restart(t, kept, 0, second)
			}
			p.say(t, second+int64(i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":%d}}`, i))
		}
		var got []float64
		for c := range p.tr.books[bySession]["a"].s.everyOpen {
			for _, e := range c.Events() {
				got = append(got, e.Progress)
			}
		}
		assert.IsIncreasing(t, got)
		assert.InDelta(t, 15, got[len(got)-1], 0)
		assert.LessOrEqual(t, len(got), limits[1])
	}
}

// Payloads that are not wanted any more are forgotten, in the storage too.
func TestPayloadsAreForgotten(t *testing.T) {
	opt := testOptions()
	opt.KeepEnvelopes = true
	p, kept := newKeeping(t, opt), shelf{}
	p.say(t, second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"x":"s3cret"},"_meta":{"progressToken":"t"}}}`)
	p.say(t, second, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"s3cret"}}`)
	kept.take(t, p.tr)
	require.True(t, kept.contains("s3cret"))
	opt.KeepPayloads, opt.KeepEnvelopes = false, false
	tr := New(opt)
	_, err := tr.Restore(kept.records, 0, second)
	require.NoError(t, err)
	sound(t, tr)
	kept.take(t, tr)
	assert.Len(t, kept, 2)
	assert.False(t, kept.contains("s3cret"))
}

func (s shelf) contains(text string) bool {
	for _, data := range s {
		if strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// Calls that go on in a later epoch do not each carry their own.
func TestFormerEpochsAreSmall(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans, opt.TextBytes, opt.NoticesPerSecond = 110, 4096, 1000
	p, kept := newKeeping(t, opt), shelf{}
	for i := range 50 {
		p.say(t, 1000*second, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/host.subagent_spawned","params":{"subagent_id":"a%d","task":%q}}`, i, strings.Repeat("x", 4000)))
		p.say(t, 1001*second, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n"}}`, i))
	}
	kept.take(t, p.tr)
	before := kept.size()
	for i := range 120 {
		p.say(t, 1002*second+int64(i), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	kept.take(t, p.tr)
	assert.Greater(t, p.tr.books[bySession]["a"].s.Epoch, int32(1))
	assert.Less(t, kept.size(), before*3/2)
	p.restart(t, kept, 0, 1003*second)
	formers := map[*Session]bool{}
	for c := range p.tr.books[bySession]["a"].s.everyOpen {
		formers[c.Session] = true
	}
	assert.Len(t, formers, 1)
}

func (s shelf) size() (n int) {
	for _, data := range s {
		n += len(data)
	}
	return n
}

// A record that cannot be read, or belongs to nothing, costs nothing else, and is
// taken away.
func TestRestoreSkipsWhatIsBroken(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	kept.take(t, p.tr)
	require.Len(t, kept, 2)
	kept[7], kept[12], kept[20] = []byte("\xff"), encode(t, saved{Format: 99}), encode(t, saved{Format: savedFormat})
	kept[9] = encode(t, saved{Format: savedFormat, Call: &savedCall{Of: "nobody"}})
	kept[19] = encode(t, saved{Format: savedFormat, Session: &savedSession{Session: Session{ID: "b"}, Told: &recents{N: -1}}})

	tr := New(testOptions())
	r, err := tr.Restore(kept.records, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Sessions)
	assert.Equal(t, 1, r.Calls)
	assert.Equal(t, 5, r.Lost)
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
	t.Helper()
	data, err := cbor.Marshal(&v)
	require.NoError(t, err)
	return data
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
		p := newPlayer(testOptions())
		p.tr = tr
		p.say(t, second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}`)
		p.say(t, second, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
		for range 10 {
			tx, _ := tr.Drain(newStory(), stamp(second))
			tx.Commit()
		}
	})
}
