package stitch

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"pgregory.net/rapid"
)

// checks runs a property 500 times, on a build server 2,000 times: each run draws cases of its own, so that
// builds add up. go test -short runs it a hundred times.
func checks(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	if testing.Short() {
		rapid.Check(t, property)
		return
	}
	rounds := 5 // of rapid's default of a hundred
	if os.Getenv("CI") != "" {
		rounds = 20
	}
	for range rounds {
		rapid.Check(t, property)
	}
}

// TestStitchOrder: when nothing expires and no value is claimed twice, where each
// span goes does not depend on the order.
func TestStitchOrder(t *testing.T) {
	checks(t, func(t *rapid.T) {
		w := worlds(t, true, rapid.Bool().Draw(t, "ours"))
		f := newFixture(&testing.T{}, configOf())
		for _, batch := range w.batches(t) {
			require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(batch)))
			f.advance(time.Millisecond)
		}
		f.advance(time.Minute)
		w.checkOut(t, f.sink.got)
		w.checkEnds(t, f.sink.got)
		f.checkEmpty(t)
	})
}

// TestStitchAnything: whatever comes, however late, and whatever is refused.
func TestStitchAnything(t *testing.T) {
	checks(t, func(t *rapid.T) {
		w := worlds(t, false, rapid.Bool().Draw(t, "ours"))
		maxSpans := rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(t, "max_spans")
		f := newFixture(&testing.T{}, configOf(func(c *Config) { c.MaxSpans = maxSpans }))
		f.ledger.idx = f.bigIndex()
		f.sink.mutates = rapid.Bool().Draw(t, "mutates")
		f.sink.refuse = func() error {
			if rapid.IntRange(0, 3).Draw(t, "refuse") == 0 {
				return errRefusedByTest
			}
			return nil
		}
		for _, batch := range w.batches(t) {
			for f.ConsumeTraces(t.Context(), tracesOf(batch)) != nil {
				f.advance(time.Duration(rapid.IntRange(0, 3).Draw(t, "retry")) * time.Second)
			}
			spans, _ := f.waiting()
			require.LessOrEqual(t, spans, maxSpans)
			f.advance(time.Duration(rapid.IntRange(0, 15).Draw(t, "pause")) * time.Second)
		}
		f.sink.refuse = nil
		require.NoError(t, f.Shutdown(t.Context()))
		w.checkOut(t, f.sink.got)
		f.checkEmpty(t)
	})
}

// TestStitchPair: a pair that meets in time ends up in one trace, whatever the
// order, and a pair that does not is linked.
func TestStitchPair(t *testing.T) {
	checks(t, func(t *rapid.T) {
		late := time.Duration(rapid.IntRange(0, 20_000).Draw(t, "late")) * time.Millisecond
		serverFirst := rapid.Bool().Draw(t, "server first")
		client, server := pair("request-1")
		if serverFirst {
			client, server = server, client
		}
		f := newFixture(&testing.T{}, configOf())
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{client})))
		f.advance(late)
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
		f.advance(time.Minute)
		out := each(f.sink.got)
		require.Len(t, out, 2)
		together := out[0].span.TraceID() == out[1].span.TraceID()
		require.Equal(t, !serverFirst || late < f.cfg.Wait, together)
		if !together {
			require.Equal(t, 2, out[1].span.Links().Len(), "the later side has a link")
			require.Equal(t, out[0].span.SpanID(), out[1].span.Links().At(1).SpanID())
		}
	})
}

// TestLinkAnything: nothing waits and no id changes.
func TestLinkAnything(t *testing.T) {
	checks(t, func(t *rapid.T) {
		w := worlds(t, false, true)
		f := newFixture(&testing.T{}, configOf(func(c *Config) { c.Mode = ModeLink }))
		for _, batch := range w.batches(t) {
			td := tracesOf(batch)
			require.NoError(t, f.ConsumeTraces(t.Context(), td))
			require.Equal(t, td, f.sink.got[len(f.sink.got)-1])
		}
		w.checkOut(t, f.sink.got)
		for _, o := range each(f.sink.got) {
			n, _ := o.span.Attributes().Get("n")
			require.Equal(t, w.specs[n.Int()].trace, o.span.TraceID())
			require.Equal(t, w.specs[n.Int()].parent, o.span.ParentSpanID())
		}
	})
}

// checkEmpty checks that nothing is left behind.
func (f *fixture) checkEmpty(t tb) {
	t.Helper()
	spans, size := f.waiting()
	require.Zero(t, spans)
	require.Zero(t, size)
	require.Zero(t, f.reserved)
	require.Nil(t, f.traces.win.Oldest())
	require.Zero(t, f.traces.win.Len())
}

func TestRejectedPermanently(t *testing.T) {
	f := newFixture(t, configOf())
	client, server := pair("request-1")
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
	f.sink.refuse = func() error { return consumererror.NewPermanent(errRefusedByTest) }
	require.Error(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{client})), "what did not wait is the sender's")
	f.sink.refuse = nil
	require.NoError(t, f.Shutdown(t.Context()))
	require.Empty(t, f.sink.got)
	f.checkEmpty(t)
}
