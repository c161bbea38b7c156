package mcpreceiver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
)

// Types without cursors: what is recorded is recorded once, and when something
// was lost on streams, that is reported and counted.
func TestLossIsCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, false)
		p.delivery = []string{"push"}
		problem := p.check(t, func(_ *testing.T, w *world) string {
			counts := w.recorded()
			for id, n := range counts {
				if n > 1 {
					return fmt.Sprintf("%s is recorded %d times", id, n)
				}
			}
			if lost := w.events - len(counts); lost > 0 && w.sink.count("notifications/events/gap") == 0 {
				return fmt.Sprintf("%d events are lost without a word", lost)
			}
			return ""
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
}

// In the first draft a cursor that is too old is an error: the gap is reported, and what occurs
// from then on comes.
func TestExpiredCursor(t *testing.T) {
	for _, way := range everyWay {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, &program{generation: 1, delivery: []string{way}, durable: true})
				w.come(t)
				time.Sleep(5 * time.Second)
				w.step(t, "events")
				time.Sleep(time.Minute)
				w.stop()
				w.step(t, "events")
				before := w.events
				w.server.Expire()
				w.server.Restart()
				w.come(t)
				time.Sleep(10 * time.Minute)
				w.step(t, "events")
				time.Sleep(10 * time.Minute)
				assert.Equal(t, 1, w.sink.count("notifications/events/gap"))
				for i := before; i < w.events; i++ {
					assert.Equal(t, 1, w.recorded()[fmt.Sprintf("ev-%d", i+1)])
				}
				w.stop()
				w.server.Restart()
			})
		})
	}
}

func TestFallsBack(t *testing.T) {
	t.Parallel() // it waits for seconds
	s, endpoint := announces(t, 3, everyWay...)
	cfg := subscribing(t, endpoint, "webhook", "push")
	cfg.Events[0].Webhook.URL += "/elsewhere" // nobody answers the challenge there
	r, sink := startEvents(t, cfg)
	require.Equal(t, "push", active(t, r))
	s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	eventually(t, "it comes the other way", func() bool { return sink.count("notifications/events/event") == 1 })
}

func TestTheListChanges(t *testing.T) {
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprintf("g%d", generation), func(t *testing.T) {
			s, endpoint := announces(t, generation)
			s.Types = s.Types[:1]
			r, sink := startEvents(t, subscribing(t, endpoint, "push"))
			eventually(t, "it is refused", func() bool {
				refused := false
				r.events[0].States(func(mode, state string) { refused = mode == "none" && state == "refused" })
				return refused
			})
			s.SetTypes(eventsource.Type{Name: "x"}, eventsource.Type{Name: "incident.created", Delivery: everyWay, Durable: true})
			require.Equal(t, "push", active(t, r))
			s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
			eventually(t, "it comes", func() bool { return sink.count("notifications/events/event") == 1 })
			assert.Greater(t, s.Count("events/list"), 2, "page by page")
		})
	}
}

func TestRestartGoesOn(t *testing.T) {
	s, endpoint := announces(t, 2, everyWay...)
	cfg := subscribing(t, endpoint, "poll")
	shelf := newShelf(t)
	cfg.Storage = shelf.cfg.Storage
	first := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	r := assemble(t, cfg, first)
	require.NoError(t, r.Start(t.Context(), shelf.host))
	require.Equal(t, "poll", active(t, r))
	s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	eventually(t, "the first comes", func() bool { return first.count("notifications/events/event") == 1 })
	require.NoError(t, r.Shutdown(t.Context()))
	s.Append(eventsource.Event{ID: "ev-2", Name: "incident.created"})
	second := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	again := assemble(t, cfg, second)
	require.NoError(t, again.Start(t.Context(), shelf.host))
	eventually(t, "what was missed comes", func() bool { return second.count("notifications/events/event") == 1 })
	require.NoError(t, again.Shutdown(context.WithoutCancel(t.Context())))
	assert.Equal(t, 1, first.count("notifications/events/event"))
}

// A server's answer leads to no other host.
func TestNoRedirects(t *testing.T) {
	var called atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	defer other.Close()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	r := assemble(t, subscribing(t, server.URL, "push", "poll"), &refusingSink{traces: ptrace.NewTraces()})
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	eventually(t, "it is asked again", func() bool { return asked.Load() > 2 })
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Zero(t, called.Load())
}

// In G1 one stream carries all subscriptions.
func TestOneStreamForAll(t *testing.T) {
	s, endpoint := announces(t, 1, everyWay...)
	cfg := subscribing(t, endpoint, "push")
	cfg.Events[0].Generation = "g1"
	cfg.Events[0].Subscriptions = append(cfg.Events[0].Subscriptions, SubscriptionConfig{Name: "other"})
	_, sink := startEvents(t, cfg)
	eventually(t, "both come", func() bool {
		s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"}, eventsource.Event{ID: "ev-2", Name: "other"})
		return sink.count("notifications/events/event") == 2
	})
	assert.LessOrEqual(t, s.Count("events/stream"), 2, "opened again at most for the second")
	sink.mu.Lock()
	defer sink.mu.Unlock()
	first, _ := spansOf(sink.traces)[0].Attributes().Get("mcp.event.subscription_id")
	second, _ := spansOf(sink.traces)[1].Attributes().Get("mcp.event.subscription_id")
	assert.NoError(t, uuid.Validate(first.Str()))
	assert.NotEqual(t, first, second)
}

func TestSubscriptionsAreCounted(t *testing.T) {
	_, endpoint := announces(t, 3, "poll")
	cfg := subscribing(t, endpoint, everyWay...)
	cfg.Events[0].Subscriptions = append(cfg.Events[0].Subscriptions, SubscriptionConfig{Name: "nothing"})
	r, tel := measured(t, cfg, &gate{})
	eventually(t, "one is up, one is not", func() bool {
		states := map[string]int{}
		r.events[0].States(func(mode, state string) { states[mode+" "+state]++ })
		return states["poll active"] == 1 && states["none refused"] == 1
	})
	metadatatest.AssertEqualMcpReceiverSubscriptions(t, tel, []metricdata.DataPoint[int64]{
		point(1, "mode", "poll", "receiver", "mcp", "state", "active"), point(1, "mode", "none", "receiver", "mcp", "state", "refused"),
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}
