package store_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Limits that are lower than before end what is too much; nothing is dropped.
func TestLowerLimits(t *testing.T) {
	opt := testOptions()
	opt.MaxSessions, opt.MaxOpenCalls, opt.MaxPending = 1000, 1000, 100
	p, kept := newKeeping(t, opt), shelf{}
	for i := range 900 {
		tx := p.engine.Begin(second, p.told, nil)
		o := event.Envelope{Arrival: second, Time: second, Session: strconv.Itoa(i)}
		require.NoError(t, message(t.Context(), tx, &o, parse(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
		tx.Commit()
	}
	kept.take(t, p.engine)
	opt.MaxSessions, opt.MaxOpenCalls = 100, 50
	p = newPlayer(opt)
	r, err := p.engine.Restore(kept.records, 0, second)
	require.NoError(t, err)
	assert.Equal(t, 900, r.Sessions)
	assert.Equal(t, 900, r.Calls)
	p.sweepAll(t, second)
	assert.Zero(t, p.lost)
	assert.Len(t, p.told.ended, 800)
	assert.LessOrEqual(t, p.engine.Sizes().Calls, 50)
	sound(t, p.engine)
}

func TestFewerProgressEvents(t *testing.T) {
	for _, limits := range [][2]int{{4, 8}, {8, 4}} {
		opt := testOptions()
		opt.ProgressEvents = limits[0]
		p, kept := newKeeping(t, opt), shelf{}
		p.say(t, second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":"t"}}}`)
		for i := range 16 {
			if i == 10 {
				p.opt.ProgressEvents = limits[1]
				p.restart(t, kept, 0, second)
			}
			p.say(t, second+int64(i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":%d}}`, i))
		}
		var got []float64
		for c := range tableOf(p.engine).Session("a").EveryCall {
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
	kept.take(t, p.engine)
	require.True(t, kept.contains("s3cret"))
	opt.KeepPayloads, opt.KeepEnvelopes = false, false
	e := session.New(opt)
	_, err := e.Restore(kept.records, 0, second)
	require.NoError(t, err)
	sound(t, e)
	kept.take(t, e)
	assert.Len(t, kept, 3, "the session, its call and a part of its facts")
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
	kept.take(t, p.engine)
	before := kept.size()
	for i := range 120 {
		p.say(t, 1002*second+int64(i), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	kept.take(t, p.engine)
	assert.Greater(t, tableOf(p.engine).Session("a").Number, int32(1))
	assert.Less(t, kept.size(), before*3/2)
	p.restart(t, kept, 0, 1003*second)
	formers := map[*store.SessionRecord]bool{}
	for c := range tableOf(p.engine).Session("a").EveryCall {
		formers[c.Of] = true
	}
	assert.Len(t, formers, 1)
}

// What a call reports of the epoch that it began in does not change.
func TestCallsOfAFormerEpochKeepIt(t *testing.T) {
	opt := testOptions()
	opt.MaxSpans = 5
	p, kept := newKeeping(t, opt), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"c","version":"1"}}}`)
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	for i := range 10 {
		p.say(t, 1001*second+int64(i), `{"jsonrpc":"2.0","method":"x"}`)
	}
	begun := func() (former *store.SessionRecord) {
		for c := range tableOf(p.engine).Session("a").EveryCall {
			if former == nil {
				former = c.Of
			}
			assert.Same(t, former, c.Of)
		}
		return former
	}
	before := begun()
	assert.EqualValues(t, 1, before.Number)
	p.restart(t, kept, 0, 1003*second)
	after := begun()
	assert.NotSame(t, &tableOf(p.engine).Session("a").SessionRecord, after)
	assert.Equal(t, before.Epoch, after.Epoch)
	assert.Equal(t, before.PeerInfo(), after.PeerInfo())
	assert.Equal(t, "c", after.PeerInfo().Client.Name)
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
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"n"}}`)
	kept.take(t, p.engine)
	require.Len(t, kept, 2)
	kept[7], kept[12], kept[20] = []byte("\xff"), encode(t, store.RecordData{Format: 99}), encode(t, store.RecordData{Format: store.Format})
	kept[9] = encode(t, store.RecordData{Format: store.Format, Call: &store.CallRecord{}, Name: "nobody"})
	kept[19] = encode(t, store.RecordData{Format: store.Format, Session: &store.SessionRecord{
		Epoch: store.Epoch{ID: "b"}, Host: store.Host{Spawned: &store.Recents{N: -1}},
	}})

	e := session.New(testOptions())
	r, err := e.Restore(kept.records, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Sessions)
	assert.Equal(t, 1, r.Calls)
	assert.Equal(t, 5, r.Lost)
	require.Error(t, r.Err)
	kept.take(t, e)
	assert.Len(t, kept, 2)
	assert.ElementsMatch(t, numbers(3, 21), tableOf(e).NextSlots(19), "all slots are used again")
}

func numbers(from, to int32) (all []int32) {
	for ; from <= to; from++ {
		all = append(all, from)
	}
	return all
}

func encode(t *testing.T, v store.RecordData) []byte {
	t.Helper()
	data, err := v.Marshal()
	require.NoError(t, err)
	return data
}

// A storage that cannot be read to its end brings back nothing, and nothing is to
// be stored over what it has.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	kept.take(t, p.engine)
	broken := errors.New("the disk is gone")
	p = newPlayer(testOptions())
	_, err := p.engine.Restore(func(yield func(session.Record, error) bool) {
		kept.records(yield)
		yield(session.Record{}, broken)
	}, 0, 0)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, store.Sizes{}, p.engine.Sizes())
	p.say(t, 1000*second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	c, err := p.engine.Changes()
	require.NoError(t, err)
	assert.Nil(t, c)
}

// Whatever is in the storage: it is read or given up.
func FuzzRestore(f *testing.F) {
	p, kept := newKeeping(f, testOptions()), shelf{}
	tx := p.engine.Begin(second, p.told, nil)
	o := event.Envelope{Arrival: second, Time: second, Session: "a"}
	require.NoError(f, message(f.Context(), tx, &o, parse(f, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)))
	tx.Commit()
	kept.take(f, p.engine)
	f.Add(kept[1], kept[2])
	f.Fuzz(func(t *testing.T, one, other []byte) {
		e := session.New(testOptions())
		_, err := e.Restore(shelf{1: one, 2: other}.records, 0, 0)
		require.NoError(t, err)
		p := newPlayer(testOptions())
		p.engine = e
		p.say(t, second, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}`)
		p.say(t, second, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
		for range 10 {
			tx, _ := e.Drain(newStory(e), stamp(second))
			tx.Commit()
		}
	})
}
