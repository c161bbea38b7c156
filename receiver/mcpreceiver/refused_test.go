package mcpreceiver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var errForGood = consumererror.NewPermanent(errors.New("never"))

// logGate refuses log records as long as err is set.
type logGate struct {
	consumertest.LogsSink
	mu  sync.Mutex
	err error
}

func (g *logGate) refuse(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err = err
}

func (g *logGate) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return g.err
	}
	return g.LogsSink.ConsumeLogs(ctx, ld)
}

const (
	asked    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	answered = `[{"jsonrpc":"2.0","id":1,"result":{}},` + notice + `]`
)

// What one pipeline refuses permanently does not undo what another one accepted: the
// call has ended, and nobody is told otherwise later.
func TestLogsRefusedPermanentlyUndoNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, logs := &gate{}, &logGate{}
		r := assemble(t, quiet(), g)
		r.setLogs(logs)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", asked))
		logs.refuse(errForGood)
		assert.Equal(t, http.StatusInternalServerError, tell(t, r, "s", answered))
		logs.refuse(nil)
		assert.Zero(t, r.runner.Engine.Sizes().Calls)
		pass(2 * time.Hour)
		assert.Len(t, g.named("tool.call"), 1)
		assert.Empty(t, g.named("mcp.call.stuck"))
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

// Log records are offered although the spans were refused permanently.
func TestTracesRefusedPermanentlyKeepNoLogsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, logs := &gate{}, &logGate{}
		r := assemble(t, quiet(), g)
		r.setLogs(logs)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		g.refuse(times(2, errForGood))
		assert.Equal(t, http.StatusInternalServerError, tell(t, r, "s", notice))
		before := logs.LogRecordCount()
		assert.Positive(t, before)
		pass(31 * time.Minute) // the end of the session is refused, too
		assert.Greater(t, logs.LogRecordCount(), before)
		assert.Zero(t, r.runner.Engine.Sizes().Sessions)
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

// If one signal is refused for now, the sender sends all of it again, whatever became of
// the other.
func TestWhatIsRefusedForNowComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, logs := &gate{}, &logGate{}
		r := assemble(t, quiet(), g)
		r.setLogs(logs)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		g.refuse(times(1, errForGood))
		logs.refuse(errors.New("not now"))
		assert.Equal(t, http.StatusServiceUnavailable, tell(t, r, "s", notice))
		assert.Zero(t, r.runner.Engine.Sizes().Sessions)
		logs.refuse(nil)
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		assert.Len(t, g.named("session.start"), 1)
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

// Each session is offered when the collector stops, however many ends are refused
// permanently.
func TestShutdownOffersAllThatIsOpen(t *testing.T) {
	const sessions = 2000
	offered, refuse := 0, false
	next, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		if !refuse {
			return nil
		}
		for _, rs := range td.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				if s.Name() == "workflow.run" {
					offered++
				}
			}
		}
		return errForGood
	})
	require.NoError(t, err)
	r := assemble(t, quiet(), next)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	for n := range sessions {
		require.Equal(t, http.StatusAccepted, tell(t, r, fmt.Sprint("s-", n), notice))
	}
	refuse = true
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, sessions, offered)
}

// A memory limiter refuses for 10 s before it collects garbage. A collector that is stopped
// meanwhile loses nothing, and ends without an error.
func TestShutdownOutlastsAMemoryLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := time.Time{}
		limited := func() error {
			if time.Now().Before(until) {
				return errors.New("data refused due to high memory usage")
			}
			return nil
		}
		g, points := &gate{err: limited}, 0
		metrics, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
			if err := limited(); err != nil {
				return err
			}
			points += md.DataPointCount()
			return nil
		})
		require.NoError(t, err)
		r := assemble(t, quiet(), g)
		r.setMetrics(metrics)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		until = time.Now().Add(10 * time.Second)
		require.NoError(t, r.Shutdown(t.Context()))
		assert.Equal(t, []string{"shutdown"}, g.reasons())
		assert.Positive(t, points)
	})
}

// Metrics that no pipeline takes are no reason to end with an error: they are cumulative,
// and all sessions were told.
func TestShutdownWithoutTheLastMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		metrics, err := consumer.NewMetrics(func(context.Context, pmetric.Metrics) error { return errors.New("not now") })
		require.NoError(t, err)
		r := assemble(t, quiet(), g)
		r.setMetrics(metrics)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		require.NoError(t, r.Shutdown(t.Context()))
		assert.Equal(t, []string{"shutdown"}, g.reasons())
	})
}
