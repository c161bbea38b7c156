package stitch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// broken passes every check, but answers queries as ask does. So does a node of a
// cluster that does not have the keys, and a server that hangs at the wrong moment,
// which a real one cannot be made to do.
type broken struct {
	ask   func() error
	asked atomic.Int64
}

var errMoved = errors.New("MOVED 1 elsewhere")

func (b *broken) Ask(context.Context, []Query) error {
	b.asked.Add(1)
	return b.ask()
}
func (*broken) Check(context.Context) (bool, error) { return true, nil }
func (*broken) Close() error                        { return nil }

// TestFailingIndexIsReported: passing the check is not enough.
func TestFailingIndexIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, host := newFixture(t, configOf()), &statusHost{Host: componenttest.NewNopHost()}
		b := &broken{ask: func() error { return errMoved }}
		f.useIndex(b)
		start := time.Now()
		f.clock = func() int64 { return int64(time.Since(start)) }
		require.NoError(t, f.Start(t.Context(), host))
		for i := range 10 {
			c, _ := pair(fmt.Sprintf("request-%d", i))
			c.trace[1] = byte(i)
			require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{c})))
			time.Sleep(time.Second + minInterval)
			synctest.Wait()
		}
		assert.Equal(t, componentstatus.StatusRecoverableError, host.last())
		require.NoError(t, f.Shutdown(t.Context()))
	})
}

// TestNoMoreQueriesAfterFailure: the first query without an answer is the last
// one for now, or the timer would wait for each.
func TestNoMoreQueriesAfterFailure(t *testing.T) {
	f := newFixture(t, configOf())
	b := &broken{ask: func() error { return errMoved }}
	f.useIndex(b)
	for i := range 3 * pollSize {
		c, _ := pair(fmt.Sprintf("request-%d", i))
		c.trace = pcommon.TraceID{1, byte(i), byte(i >> 8)}
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{c})))
	}
	assert.Zero(t, b.asked.Load())
	f.check()
	assert.Equal(t, int64(1), b.asked.Load())
	assert.False(t, f.ledger.online)
}

// TestConvergeWaitsForOthers: a batch waits for its queries even if another batch
// is asking them.
func TestConvergeWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, configOf())
		answer := make(chan struct{})
		f.useIndex(&broken{ask: func() error { <-answer; return nil }})
		f.check()
		f.do(func() { f.ledger.ask(Query{Kind: GetDecision}) })
		var done atomic.Int64
		for range 2 {
			go func() { f.shared.converge(); done.Add(1) }()
			synctest.Wait()
		}
		assert.Zero(t, done.Load())
		close(answer)
		synctest.Wait()
		assert.Equal(t, int64(2), done.Load())
	})
}

// TestSlowIndexIsAbandoned: each answer comes just in time, and raises another
// query.
func TestSlowIndexIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, configOf())
		f.useIndex(&broken{ask: func() error {
			time.Sleep(askTimeout - time.Millisecond)
			f.do(func() { f.ledger.ask(Query{Kind: GetDecision}) })
			return nil
		}})
		f.check()
		f.do(func() { f.ledger.ask(Query{Kind: GetDecision}) })
		start := time.Now()
		f.shared.converge()
		assert.LessOrEqual(t, time.Since(start), 2*askTimeout)
	})
}
