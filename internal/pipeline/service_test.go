package pipeline

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// newService is a running service with the default settings.
func newService(t *testing.T, traces consumer.Traces) *Service {
	t.Helper()
	settings := DefaultSettings()
	build := settings.TelemetryOptions("test")
	s := &Service{
		Runner: &Runner{
			Engine: session.New(settings.SessionOptions(func(string) {})), Build: build,
			Meter: telemetry.NewMeter(build, 10, time.Now()), Traces: traces,
		},
		Settings: &settings, Logger: zap.NewNop(), Lost: func(string) {},
	}
	require.NoError(t, s.Open(t.Context(), componenttest.NewNopHost()))
	s.Run()
	return s
}

// heard lets a session begin.
func heard(ctx context.Context, r *Runner) error {
	return r.Run(ctx, "test", func(tx *session.Tx, now int64) error {
		env := event.Envelope{Arrival: now, Time: now, Session: "s", Direction: event.FromClient}
		return tx.Apply(ctx, &env, &event.Contact{Method: "initialize"})
	})
}

// Close waits for those who use the sessions, and ends what is open when they have
// left.
func TestCloseWaitsForUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		s := newService(t, sink)
		require.True(t, s.Enter())
		require.True(t, s.Enter())
		closed := make(chan error, 1)
		go func() { closed <- s.Close(t.Context()) }()
		synctest.Wait()
		assert.False(t, s.Enter(), "nobody may begin")
		require.NoError(t, heard(t.Context(), s.Runner), "those who began may end")
		s.Leave()
		synctest.Wait()
		assert.Empty(t, closed)
		s.Leave()
		require.NoError(t, <-closed)
		assert.Positive(t, sink.SpanCount())
		assert.Zero(t, s.Runner.Engine.Sizes().Sessions)
	})
}

// A user that does not leave must not keep the collector from stopping, nor must a
// pipeline that does not answer a sweep.
func TestCloseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, &consumertest.TracesSink{})
		require.True(t, s.Enter())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.ErrorIs(t, s.Close(ctx), context.DeadlineExceeded)
		s.Leave() // later than that
		require.NoError(t, s.Close(t.Context()), "it is closed")
	})
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		calls := 0
		stuck, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error {
			if calls++; calls == 2 { // the first begins the session, a sweep ends it
				<-release
			}
			return nil
		})
		require.NoError(t, err)
		s := newService(t, stuck)
		require.NoError(t, heard(t.Context(), s.Runner))
		time.Sleep(2 * DefaultSettings().Session.IdleTimeout)
		synctest.Wait()
		require.Equal(t, 2, calls)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.ErrorIs(t, s.Close(ctx), context.DeadlineExceeded)
		close(release)
		synctest.Wait()
	})
}

// A deadline that has passed is no reason to lose what is open.
func TestCloseWithoutTimeEndsWhatIsOpen(t *testing.T) {
	sink := &consumertest.TracesSink{}
	s := newService(t, sink)
	require.NoError(t, heard(t.Context(), s.Runner))
	before := sink.SpanCount()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.Close(ctx)
	assert.Greater(t, sink.SpanCount(), before)
}

// slowly takes its time for the first spans.
type slowly struct {
	consumertest.TracesSink
	once sync.Once
}

func (s *slowly) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	s.once.Do(func() { time.Sleep(200 * time.Millisecond) })
	return s.TracesSink.ConsumeTraces(ctx, td)
}

// What is on its way by what is lent arrives before that is taken back, and so does the
// end of the session that it belongs to, which nobody else can send.
func TestReturnWaitsForWhatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		lent := &slowly{}
		o := &Outlets{Traces: lent}
		back := s.Runner.Lend(o)
		var sending sync.WaitGroup
		sending.Go(func() { assert.NoError(t, heard(t.Context(), s.Runner)) })
		synctest.Wait()
		require.NoError(t, s.Return(t.Context(), o))
		taken := spansOf(lent.AllTraces())
		back()
		sending.Wait()
		assert.Equal(t, []string{"session.start", "session.summary", "workflow.run"}, taken)
		assert.Equal(t, taken, spansOf(lent.AllTraces()), "nothing comes when it is taken back")
		require.NoError(t, s.Close(t.Context()))
	})
}

func spansOf(all []ptrace.Traces) (names []string) {
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, span := range rs.ScopeSpans().At(0).Spans().All() {
				names = append(names, span.Name())
			}
		}
	}
	return names
}

// As long as somebody else lends a pipeline, what is open goes on, and leaves by that.
func TestReturnLeavesToOthersWhatTheyCanSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		first, last := &consumertest.TracesSink{}, &consumertest.TracesSink{}
		firstMetrics, lastMetrics := &consumertest.MetricsSink{}, &consumertest.MetricsSink{}
		ofFirst, ofLast := &Outlets{Traces: first, Metrics: firstMetrics}, &Outlets{Traces: last, Metrics: lastMetrics}
		s.Runner.Lend(ofFirst)
		s.Runner.Lend(ofLast)
		require.NoError(t, heard(t.Context(), s.Runner))
		require.NoError(t, s.Return(t.Context(), ofFirst))
		assert.Equal(t, []string{"session.start"}, spansOf(first.AllTraces()))
		assert.Empty(t, firstMetrics.AllMetrics())
		assert.Equal(t, 1, s.Runner.Engine.Sizes().Sessions)
		require.NoError(t, s.Return(t.Context(), ofLast))
		assert.Equal(t, []string{"session.summary", "workflow.run"}, spansOf(last.AllTraces()))
		assert.NotEmpty(t, lastMetrics.AllMetrics())
		require.NoError(t, s.Close(t.Context()))
	})
}

// A pipeline that refuses is not asked for ever, and one that does not answer not waited
// for, although the collector gives no deadline when it stops.
func TestReturnEndsWithoutDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		lent, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error {
			if calls++; calls > 1 { // the first begins the session
				return errors.New("not now")
			}
			return nil
		})
		require.NoError(t, err)
		s := newService(t, nil)
		o := &Outlets{Traces: lent}
		s.Runner.Lend(o)
		require.NoError(t, heard(t.Context(), s.Runner))
		require.ErrorContains(t, s.Return(context.WithoutCancel(t.Context()), o), "1 open sessions")
		assert.Equal(t, 1+drainAttempts, calls)
		require.NoError(t, s.Close(t.Context()))
	})
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		lent, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error {
			<-release
			return nil
		})
		require.NoError(t, err)
		s := newService(t, nil)
		o := &Outlets{Traces: lent}
		s.Runner.Lend(o)
		var sending sync.WaitGroup
		sending.Go(func() { assert.NoError(t, heard(t.Context(), s.Runner)) })
		synctest.Wait()
		require.ErrorIs(t, s.Return(context.WithoutCancel(t.Context()), o), context.DeadlineExceeded)
		close(release)
		sending.Wait()
		require.NoError(t, s.Close(t.Context()))
	})
}
