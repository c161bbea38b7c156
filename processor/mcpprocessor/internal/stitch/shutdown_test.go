package stitch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadatatest"
)

// hanging is a next consumer that does not return before it may, or before the
// context is over if it obeys that.
type hanging struct {
	next
	may   chan struct{}
	obeys bool
}

func (h *hanging) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	over := ctx.Done()
	if !h.obeys {
		over = nil
	}
	select {
	case <-h.may:
		return h.next.ConsumeTraces(ctx, td)
	case <-over:
		return ctx.Err()
	}
}

// TestShutdownDoesNotHang: spans in a consumer that does not return are given up
// when there is no time left, and reported.
func TestShutdownDoesNotHang(t *testing.T) {
	for name, c := range map[string]struct {
		limit, atMost time.Duration // of shutdown
		before        time.Duration // until it
		obeys         bool
	}{
		"deadline":                    {limit: 2 * time.Second, atMost: 2*time.Second + 2*moment},
		"no deadline":                 {limit: time.Hour, atMost: shutdownGrace + 2*moment},
		"no time":                     {atMost: 2 * moment},
		"consumer obeys":              {limit: time.Second, atMost: time.Second + 2*moment, obeys: true},
		"timer sends already":         {before: 20 * time.Second, limit: time.Second, atMost: time.Second + 2*moment},
		"timer sends, consumer obeys": {before: 20 * time.Second, limit: time.Second, atMost: time.Second + 2*moment, obeys: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				telemetry := componenttest.NewTelemetry()
				to := &hanging{may: make(chan struct{}), obeys: c.obeys}
				p := create(t, telemetry, to)
				require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
				for _, s := range servers(3) {
					require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{s})))
				}
				time.Sleep(c.before)
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				start := time.Now()
				require.ErrorContains(t, p.Shutdown(ctx), "did not accept 3 spans")
				assert.LessOrEqual(t, time.Since(start), c.atMost)
				metadatatest.AssertEqualMcpProcessorStitchDroppedSpans(t, telemetry,
					[]metricdata.DataPoint[int64]{{Value: 3}}, metricdatatest.IgnoreTimestamp())
				close(to.may)
				synctest.Wait()
				assert.LessOrEqual(t, to.spans(), 1, "nothing is sent after shutdown but what was")
				require.NoError(t, p.Shutdown(t.Context()), "twice")
				require.NoError(t, telemetry.Shutdown(t.Context()))
			})
		})
	}
}

// TestShutdownWaitsForSlowConsumer: a consumer that takes its time gets everything.
func TestShutdownWaitsForSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := new(next)
		p := create(t, nil, slow{to})
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		for _, s := range servers(5) {
			require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{s})))
		}
		require.NoError(t, p.Shutdown(t.Context()))
		assert.Equal(t, 5, to.spans())
	})
}

// slow takes a little less than shutdown allows it.
type slow struct{ consumer.Traces }

func (s slow) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	time.Sleep(shutdownGrace - time.Second)
	return s.Traces.ConsumeTraces(ctx, td)
}

// TestShutdownReportsRefused to the end.
func TestShutdownReportsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, configOf())
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(servers(2))))
		f.sink.refuse = func() error { return errRefusedByTest }
		require.ErrorContains(t, f.Shutdown(t.Context()), "did not accept 2 spans")
		f.checkEmpty(t)
	})
}

// TestShutdownAfterDeadline tries once all the same.
func TestShutdownAfterDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, configOf())
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(servers(1))))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, f.Shutdown(ctx))
		require.Len(t, each(f.sink.got), 1)
	})
}

// ending stops the stitcher while it takes spans from it.
type ending struct {
	next
	stop func()
}

func (e *ending) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if stop := e.stop; stop != nil {
		e.stop = nil
		stop()
	}
	return e.next.ConsumeTraces(ctx, td)
}

// TestShutdownDuringABatch: spans of a batch that is on its way when everything is let
// out leave too. Some of them pass at once, others had to wait.
func TestShutdownDuringABatch(t *testing.T) {
	to := new(ending)
	p := create(t, nil, to)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	to.stop = func() { assert.NoError(t, p.Shutdown(t.Context())) }
	client, server := pair("request-1")
	server.value = "request-2"
	require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{client, server})))
	assert.Equal(t, 2, to.spans())
	n, _ := p.waiting()
	assert.Zero(t, n)
}
