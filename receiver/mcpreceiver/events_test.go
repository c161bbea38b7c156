package mcpreceiver

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var everyWay = []string{"poll", "push", "webhook"}

// announces is a server with one durable type of event, and one that nobody asks for.
func announces(t *testing.T, generation int, delivery ...string) (*eventsource.Server, string) {
	s := &eventsource.Server{Generation: generation, Retry: 10 * time.Millisecond, Challenge: true, Types: []eventsource.Type{
		{Name: "other", Delivery: everyWay}, {Name: "incident.created", Delivery: delivery, Durable: true},
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.Restart) // streams break off
	return s, server.URL + "/mcp"
}

// subscribing is a configuration that asks for the durable type.
func subscribing(t *testing.T, endpoint string, delivery ...string) *Config {
	cfg := quiet()
	e := newEventsConfig()
	e.Endpoint, e.Delivery = endpoint, delivery
	e.Subscriptions = []SubscriptionConfig{{Name: "incident.created", Arguments: map[string]any{"severity": "P1"}}}
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = harness.FreeAddress(t)
	cfg.Webhooks.HTTP = configoptional.Some(http)
	e.Webhook.URL = "http://" + http.NetAddr.Endpoint + "/v1/webhooks"
	cfg.Events = []EventsConfig{e}
	return cfg
}

func startEvents(t *testing.T, cfg *Config) (*mcpReceiver, *refusingSink) {
	sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	r := assemble(t, cfg, sink)
	r.setLogs(sink)
	require.NoError(t, cfg.Validate())
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { _ = r.Shutdown(t.Context()) })
	return r, sink
}

// active waits until all subscriptions are up.
func active(t *testing.T, r *mcpReceiver) (mode string) {
	eventually(t, "the subscription is active", func() bool {
		up := false
		r.events[0].States(func(m, state string) { mode, up = m, state == "active" })
		return up
	})
	return mode
}

func TestEveryWayOfEveryGeneration(t *testing.T) {
	for generation := 1; generation <= 3; generation++ {
		for _, way := range everyWay {
			t.Run(fmt.Sprintf("g%d %s", generation, way), func(t *testing.T) {
				s, endpoint := announces(t, generation, everyWay...)
				r, sink := startEvents(t, subscribing(t, endpoint, way))
				require.Equal(t, way, active(t, r))
				s.Append(eventsource.Event{
					ID: "ev-1", Name: "incident.created", Data: `{"n":1}`, Time: time.Date(2026, 3, 4, 9, 14, 58, 0, time.UTC),
					Meta: `{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`,
				}, eventsource.Event{ID: "ev-2", Name: "incident.created"}, eventsource.Event{ID: "ev-3", Name: "other"})
				eventually(t, "they are recorded", func() bool { return sink.count("notifications/events/event") == 2 })
				require.NoError(t, r.Shutdown(t.Context()))
				assertEvent(t, sink, generation, way)
			})
		}
	}
}

func assertEvent(t *testing.T, sink *refusingSink, generation int, way string) {
	t.Helper()
	span := spansOf(sink.traces)[0]
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", span.TraceID().String())
	assert.Equal(t, "b7ad6b7169203331", span.ParentSpanID().String())
	assert.Equal(t, "2026-03-04T09:14:58Z", span.StartTimestamp().AsTime().Format(time.RFC3339))
	got := span.Attributes().AsRaw()
	assert.Equal(t, "ev-1", got["mcp.event.id"])
	assert.Equal(t, "incident.created", got["mcp.event.name"])
	assert.Equal(t, `{"n":1}`, got["mcp.event.data_json"])
	assert.Equal(t, fmt.Sprintf("g%d", generation), got["mcp.event.generation"])
	assert.Equal(t, way, got["mcp.event.delivery"])
	if way != "poll" || generation == 1 {
		assert.NotEmpty(t, got["mcp.event.subscription_id"])
	}
	second := spansOf(sink.traces)[1]
	assert.True(t, second.ParentSpanID().IsEmpty())
	rl := sink.logs.ResourceLogs().At(0)
	name, _ := rl.Resource().Attributes().Get("service.name")
	assert.Equal(t, "fake-events", name.Str())
	record := rl.ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, "incident.created", record.EventName())
	assert.Equal(t, `{"n":1}`, record.Body().Str())
	assert.Equal(t, span.SpanID(), record.SpanID())
	assert.Equal(t, plog.SeverityNumberInfo, record.SeverityNumber())
}
