package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// memory is a storage in memory, which fails as long as the test wants.
type memory struct {
	storage.Client
	mu      sync.Mutex
	kept    map[string][]byte
	failure error
	batches int
	meet    func() // called at each batch
}

func newMemory() *memory { return &memory{kept: map[string][]byte{}} }

func (m *memory) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := m.Batch(ctx, op)
	return op.Value, err
}

func (m *memory) Batch(_ context.Context, ops ...*storage.Operation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches++
	if m.meet != nil {
		m.meet()
	}
	if m.failure != nil {
		return m.failure
	}
	for _, op := range ops {
		switch op.Type {
		case storage.Get:
			op.Value = m.kept[op.Key]
		case storage.Set:
			m.kept[op.Key] = slices.Clone(op.Value)
		case storage.Delete:
			delete(m.kept, op.Key)
		}
	}
	return nil
}

// walked is a memory that can be walked; broken is what the walk then fails with.
type walked struct {
	*memory
	broken error
}

func (m walked) Walk(_ context.Context, each storage.WalkFunc) error {
	for key, value := range m.kept {
		if _, err := each(key, value); err != nil {
			return err
		}
	}
	return m.broken
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = err
}

// records returns how many there are, without the head.
func (m *memory) records() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.kept {
		if strings.HasPrefix(key, prefix) {
			n++
		}
	}
	return n
}

func newCheckpointer(t *testing.T, m *memory) *Checkpointer {
	t.Helper()
	k := &Checkpointer{Client: m, Engine: newEngine()}
	_, err := k.Restore(t.Context())
	require.NoError(t, err)
	return k
}

func newEngine() *session.Engine {
	return session.New(session.Options{
		IdleTimeout: time.Hour, MaxSessions: 10_000, MaxSpans: 100, CallTimeout: time.Hour, MaxOpenCalls: 10_000, MaxOpenBytes: 1 << 30,
		ProgressEvents: 4, TextBytes: 64, KeepPayloads: true, MaxPending: 100, Lost: func(string) {},
		StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 2,
	})
}

// silent is a sink that hears nothing.
type silent struct{ session.Sink }

func (silent) SessionStarted(*store.SessionRecord, identity.SpanID) {}
func (silent) SessionState(*session.SessionState)                   {}
func (silent) SessionEnded(*session.SessionEnd)                     {}
func (silent) CallStarted(session.CallStart)                        {}
func (silent) CallEnded(*session.CallEnd)                           {}
func (silent) Notice(*session.Notice)                               {}

// tell tells the Engine of one message.
func tell(t *testing.T, k *Checkpointer, id, text string) {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	var d mcp.Decoder
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c))
	now := time.Now().UnixNano()
	tx := k.Engine.Begin(now, silent{}, nil)
	require.NoError(t, d.Message(t.Context(), tx, &event.Envelope{Arrival: now, Time: now, Session: id}, &m))
	tx.Finish()
	tx.Commit()
}

// A call that is told makes three records: of the session, of the call and of the facts, which
// stay when the call has ended.
const recordsOfOne = 3

const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n","arguments":{"a":"b"}}}`

func TestWhatIsOpenComesBack(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	for i := range 700 {
		tell(t, k, fmt.Sprintf("s-%d", i), fmt.Sprintf(call, i))
	}
	require.NoError(t, k.Save(t.Context()))
	assert.Equal(t, 700*recordsOfOne, m.records())
	before := m.batches
	require.NoError(t, k.Save(t.Context()))
	assert.Equal(t, before, m.batches, "nothing has changed")

	for i := range 700 {
		tell(t, k, fmt.Sprintf("s-%d", i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	require.NoError(t, k.Close(t.Context()))
	assert.Equal(t, 700*(recordsOfOne-1), m.records())
	again := newCheckpointer(t, m)
	assert.Equal(t, k.Engine.Sizes(), again.Engine.Sizes())
	tell(t, again, "s-1", fmt.Sprintf(call, 5))
	require.NoError(t, again.Save(t.Context()))
	assert.Equal(t, int32(700*recordsOfOne), again.last, "free places are used first")
}

// The time between the last write and now is time in which nothing was heard.
func TestTimeStandsStillWhileNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		k := newCheckpointer(t, m)
		tell(t, k, "a", fmt.Sprintf(call, 1))
		require.NoError(t, k.Save(t.Context()))
		time.Sleep(10 * time.Minute)
		require.NoError(t, k.Close(t.Context()))
		time.Sleep(24 * time.Hour)
		at, ok := newCheckpointer(t, m).Engine.Next()
		require.True(t, ok)
		assert.Equal(t, 50*time.Minute, time.Until(time.Unix(0, at)))
	})
}

// A crash after a long silence is no longer ago than the last minute.
func TestSilenceIsNotAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		k := newCheckpointer(t, m)
		tell(t, k, "a", fmt.Sprintf(call, 1))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			k.Run(ctx, time.Second, func(error) {})
		}()
		time.Sleep(40*time.Minute + 30*time.Second)
		stop()
		<-done
		time.Sleep(24 * time.Hour)
		at, ok := newCheckpointer(t, m).Engine.Next()
		require.True(t, ok)
		assert.InDelta(t, 20*time.Minute, time.Until(time.Unix(0, at)), float64(time.Minute))
	})
}

// What changes while it is stored has its turn the next time.
func TestSaveEnds(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	for i := range 5 {
		tell(t, k, strconv.Itoa(i), fmt.Sprintf(call, 1))
	}
	m.meet = func() { tell(t, k, "1", `{"jsonrpc":"2.0","method":"notifications/initialized"}`) }
	before := m.batches
	require.NoError(t, k.Save(t.Context()))
	assert.Equal(t, 1, m.batches-before)
	m.meet = nil
	require.NoError(t, k.Close(t.Context()))
	assert.Zero(t, k.Engine.Changed())
}

// What could not be stored does not keep what came since from its turn.
func TestSaveCatchesUp(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	full := errors.New("no space is left")
	m.fail(full)
	for i := range 300 {
		tell(t, k, strconv.Itoa(i), fmt.Sprintf(call, 1))
	}
	require.ErrorIs(t, k.Save(t.Context()), full)
	m.fail(nil)
	require.NoError(t, k.Save(t.Context()))
	assert.Equal(t, 300*recordsOfOne, m.records())
	assert.Equal(t, k.Engine.Sizes(), newCheckpointer(t, m).Engine.Sizes())
}

func TestRunTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, reported := newMemory(), []error{}
		k := newCheckpointer(t, m)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			k.Run(ctx, time.Second, func(err error) { reported = append(reported, err) })
		}()
		full := errors.New("no space is left")
		m.fail(full)
		tell(t, k, "a", fmt.Sprintf(call, 1))
		time.Sleep(3500 * time.Millisecond)
		assert.Zero(t, m.records())
		m.fail(nil)
		time.Sleep(time.Second)
		assert.Equal(t, recordsOfOne, m.records())
		stop()
		<-done
		assert.Equal(t, []error{full, nil}, reported)
	})
}

func TestAStorageThatFails(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	tell(t, k, "a", fmt.Sprintf(call, 1))
	broken := errors.New("the disk is gone")
	m.fail(broken)
	require.ErrorIs(t, k.Close(t.Context()), broken)
	other := &Checkpointer{Client: m, Engine: session.New(session.Options{})}
	_, err := other.Restore(t.Context())
	require.ErrorIs(t, err, broken)
}

// What is open does not depend on the one record that says what there is.
func TestADamagedHead(t *testing.T) {
	for name, text := range map[string]string{
		"gone": "", "cut": "{", "text": "\x00\xff", "nonsense": `{"last":-5}`, "another number": `{"last":2147483647,"time":1,"away":0,"sum":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			k := newCheckpointer(t, m)
			for i := range 700 {
				tell(t, k, fmt.Sprintf("s-%d", i), fmt.Sprintf(call, i))
			}
			require.NoError(t, k.Close(t.Context()))
			for place := int32(1); place < 500; place++ {
				delete(m.kept, keyOf(place)) // far from the first
			}
			left := m.records()
			if m.kept[headKey] = []byte(text); text == "" {
				delete(m.kept, headKey)
			}
			for _, client := range []storage.Client{walked{m, nil}, walked{m, errors.ErrUnsupported}} {
				other := &Checkpointer{Client: client, Engine: newEngine()}
				_, err := other.Restore(t.Context())
				require.NoError(t, err)
				assert.Equal(t, int32(700*recordsOfOne), other.last)
			}
			again := &Checkpointer{Client: m, Engine: newEngine()}
			restored, err := again.Restore(t.Context())
			require.NoError(t, err)
			assert.Equal(t, int32(700*recordsOfOne), again.last)
			if text == "" {
				require.NoError(t, restored.Err)
			} else {
				require.ErrorContains(t, restored.Err, `its "sessions" is not what this receiver writes`)
			}
			assert.Positive(t, restored.Sessions)
			require.NoError(t, again.Close(t.Context()), "it is kept again")
			assert.LessOrEqual(t, m.records(), left)
			_ = newCheckpointer(t, m)
		})
	}
}

// A start with an empty storage asks it once for its head and once for all else.
func TestAnEmptyStorageIsNotSearched(t *testing.T) {
	m := newMemory()
	k := &Checkpointer{Client: walked{m, nil}, Engine: newEngine()}
	_, err := k.Restore(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, m.batches)
	assert.Zero(t, k.last)
	m.kept["sessions/007"], m.kept["sessions/-1"], m.kept["elsewhere/9"] = nil, nil, nil
	_, err = (&Checkpointer{Client: walked{m, nil}, Engine: newEngine()}).Restore(t.Context())
	require.NoError(t, err)
	broken := errors.New("broken")
	_, err = (&Checkpointer{Client: walked{m, broken}, Engine: newEngine()}).Restore(t.Context())
	require.ErrorIs(t, err, broken)
}

// Records of any bytes, in any slot, are counted and change nothing else.
func TestDamagedRecords(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	for i := range 200 {
		tell(t, k, fmt.Sprintf("s-%d", i), fmt.Sprintf(call, i))
	}
	require.NoError(t, k.Close(t.Context()))
	whole := maps.Clone(m.kept)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		m.kept = maps.Clone(whole)
		for range 50 {
			key := keyOf(1 + rnd.Int32N(400))
			value := slices.Clone(m.kept[key])
			if len(value) == 0 {
				continue // it is damaged already
			}
			switch rnd.IntN(4) {
			case 0:
				value[rnd.IntN(len(value))] ^= 1 << rnd.IntN(8)
			case 1:
				value = value[:rnd.IntN(len(value))]
			case 2:
				value[rnd.IntN(len(value))] = byte(rnd.Int())
			default:
				value = m.kept[keyOf(1+rnd.Int32N(400))]
			}
			m.kept[key] = value
		}
		again := newCheckpointer(t, m)
		for i := range 20 {
			tell(t, again, fmt.Sprintf("s-%d", i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}
		require.NoError(t, again.Close(t.Context()))
	}
}

// What was ended because it could not be stored does not come back from what had
// been stored of it before, and its records go.
func TestWhatWasDiscardedDoesNotComeBack(t *testing.T) {
	full := errors.New("no space is left")
	m := newMemory()
	k := newCheckpointer(t, m)
	for i := range 300 {
		tell(t, k, strconv.Itoa(i), fmt.Sprintf(call, 1))
	}
	require.NoError(t, k.Save(t.Context()))
	m.fail(full)
	require.ErrorIs(t, k.Discard(t.Context()), full)
	m.fail(nil)
	require.NoError(t, k.Discard(t.Context()))
	assert.Equal(t, 300*recordsOfOne, m.records(), "it takes no room")

	k = newCheckpointer(t, m)
	assert.Zero(t, k.Engine.Sizes())
	tell(t, k, "a", fmt.Sprintf(call, 1))
	m.fail(full)
	require.ErrorIs(t, k.Save(t.Context()), full)
	m.fail(nil)
	require.NoError(t, k.Discard(t.Context()), "there was no room for this one either")

	k = newCheckpointer(t, m)
	assert.Zero(t, k.Engine.Sizes())
	tell(t, k, "a", fmt.Sprintf(call, 1))
	require.NoError(t, k.Save(t.Context()))
	assert.Equal(t, recordsOfOne, m.records())
	assert.Equal(t, k.Engine.Sizes(), newCheckpointer(t, m).Engine.Sizes())
}

// A crash while the records are deleted leaves none that counts.
func TestACrashWhileRecordsAreDeleted(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	for i := range 300 {
		tell(t, k, strconv.Itoa(i), fmt.Sprintf(call, 1))
	}
	require.NoError(t, k.Save(t.Context()))
	require.NoError(t, k.Discard(t.Context()))
	broken := errors.New("the disk is gone")
	k = newCheckpointer(t, m)
	m.meet = func() {
		if m.meet = nil; m.failure == nil {
			m.meet = func() { m.failure = broken } // from the second time on
		}
	}
	require.ErrorIs(t, k.Save(t.Context()), broken)
	m.fail(nil)
	m.meet = nil
	assert.Equal(t, 300*recordsOfOne-readMax, m.records())
	k = newCheckpointer(t, m)
	assert.Zero(t, k.Engine.Sizes())
	require.NoError(t, k.Close(t.Context()))
	assert.Zero(t, m.records())
}

// What was committed is stored, even if another transaction works on the session.
func TestSyncStoresWhatIsInUse(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	k.Engine.CopyAlways(true)
	tell(t, k, "a", fmt.Sprintf(call, 1))
	tx := k.Engine.Begin(time.Now().UnixNano(), silent{}, nil)
	require.NoError(t, tx.Apply(t.Context(), &event.Envelope{Session: "a"}, &event.FileRootFound{}))
	require.NoError(t, k.Sync(t.Context()))
	assert.Equal(t, 1, newCheckpointer(t, m).Engine.Sizes().Calls)
	before := m.batches
	require.NoError(t, k.Sync(t.Context()))
	assert.Equal(t, before, m.batches, "nothing has changed")
	tx.Rollback()
}

func TestSyncsAtTheSameTimeShareOneWrite(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	k.Engine.CopyAlways(true)
	busy, release := make(chan struct{}, 100), make(chan struct{})
	m.meet = func() {
		busy <- struct{}{}
		<-release
	}
	before := m.batches
	var callers sync.WaitGroup
	sync1 := func(i int) {
		tell(t, k, strconv.Itoa(i), fmt.Sprintf(call, 1))
		callers.Go(func() { assert.NoError(t, k.Sync(t.Context())) })
	}
	sync1(0)
	<-busy
	for i := range 20 {
		sync1(i + 1)
	}
	require.Eventually(t, func() bool { return k.asked.Load() == 21 }, 10*time.Second, time.Millisecond)
	close(release)
	callers.Wait()
	m.meet = nil
	assert.Equal(t, 2, m.batches-before)
	assert.Equal(t, 21, newCheckpointer(t, m).Engine.Sizes().Calls)
}

// However long the storage fails, each session and call is copied once.
func TestCopiesDoNotPileUp(t *testing.T) {
	m := newMemory()
	k := newCheckpointer(t, m)
	k.Engine.CopyAlways(true)
	m.fail(errors.New("no space is left"))
	for range 100 {
		tell(t, k, "a", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		require.Error(t, k.Sync(t.Context()))
	}
	for i := range 100 {
		tell(t, k, "a", fmt.Sprintf(call, i))
		tell(t, k, "a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	assert.LessOrEqual(t, k.Engine.Changed(), 2)
	m.fail(nil)
	require.NoError(t, k.Sync(t.Context()))
	assert.Equal(t, recordsOfOne-1, m.records())
}
