package mcpreceiver

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
)

func measured(t *testing.T, cfg *Config, g *gate) (*mcpReceiver, *componenttest.Telemetry) {
	tel := componenttest.NewTelemetry()
	r, err := newReceiver(metadatatest.NewSettings(tel), cfg, newDecoder)
	require.NoError(t, err)
	r.setTraces(g)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	return r, tel
}

// point is a data point with the given attributes, as key, value, key, value.
func point(value int64, attributes ...string) metricdata.DataPoint[int64] {
	var kvs []attribute.KeyValue
	for i := 0; i < len(attributes); i += 2 {
		kvs = append(kvs, attribute.String(attributes[i], attributes[i+1]))
	}
	return metricdata.DataPoint[int64]{Value: value, Attributes: attribute.NewSet(kvs...)}
}

func single(value int64, attributes ...string) []metricdata.DataPoint[int64] {
	return []metricdata.DataPoint[int64]{point(value, attributes...)}
}

const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","_meta":{"traceparent":"bad"}}}`

func TestOwnMetrics(t *testing.T) {
	g := &gate{}
	r, tel := measured(t, quiet(), g)
	at := []string{"endpoint", push.ObservationsPath}
	require.Equal(t, http.StatusAccepted, tell(t, r, "s", tool+`{"jsonrpc":"1.0","method":"x"}7`))
	ignore := metricdatatest.IgnoreTimestamp()
	metadatatest.AssertEqualMcpReceiverAcceptedMessages(t, tel, single(2, at...), ignore)
	metadatatest.AssertEqualMcpReceiverInvalidMessages(t, tel, single(1, append(at, "reason", "jsonrpc_is_not_2.0")...), ignore)
	metadatatest.AssertEqualMcpReceiverInvalidTraceContexts(t, tel, single(1, at...), ignore)
	metadatatest.AssertEqualMcpReceiverRejectedMessages(t, tel, single(1, append(at, "reason", "malformed")...), ignore)
	metadatatest.AssertEqualMcpReceiverOpenSessions(t, tel, single(1, "receiver", "mcp"), ignore)
	metadatatest.AssertEqualMcpReceiverOpenCalls(t, tel, single(1, "receiver", "mcp"), ignore)
	metadatatest.AssertEqualMcpReceiverOpenCallBytes(t, tel, single(r.runner.Engine.Sizes().CallBytes, "receiver", "mcp"), ignore)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

// TestTwoReceivers: what is open in one is not hidden by what is open in the other.
func TestTwoReceivers(t *testing.T) {
	tel := componenttest.NewTelemetry()
	var both []*mcpReceiver
	for _, name := range []string{"", "2"} {
		set := metadatatest.NewSettings(tel)
		set.ID = component.NewIDWithName(set.ID.Type(), name)
		r, err := newReceiver(set, quiet(), newDecoder)
		require.NoError(t, err)
		r.setTraces(&gate{})
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		both = append(both, r)
	}
	require.Equal(t, http.StatusAccepted, tell(t, both[0], "s", tool))
	ignore := metricdatatest.IgnoreTimestamp()
	points := func(first, second int64) []metricdata.DataPoint[int64] {
		return []metricdata.DataPoint[int64]{point(first, "receiver", "mcp"), point(second, "receiver", "mcp/2")}
	}
	metadatatest.AssertEqualMcpReceiverOpenSessions(t, tel, points(1, 0), ignore)
	metadatatest.AssertEqualMcpReceiverOpenCalls(t, tel, points(1, 0), ignore)
	metadatatest.AssertEqualMcpReceiverOpenCallBytes(t, tel, points(both[0].runner.Engine.Sizes().CallBytes, 0), ignore)
	for _, r := range both {
		require.NoError(t, r.Shutdown(t.Context()))
	}
	require.NoError(t, tel.Shutdown(t.Context()))
}

func TestRefusalsAreCounted(t *testing.T) {
	g := &gate{err: times(1, errors.New("not now"))}
	r, tel := measured(t, quiet(), g)
	require.Equal(t, http.StatusServiceUnavailable, tell(t, r, "s", notice+notice))
	require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
	require.Equal(t, http.StatusUnsupportedMediaType, sendAs(t, r, "text/plain"))
	metadatatest.AssertEqualMcpReceiverRejectedMessages(t, tel, []metricdata.DataPoint[int64]{
		point(2, "endpoint", push.ObservationsPath, "reason", "pipeline_refused"),
		point(1, "endpoint", push.ObservationsPath, "reason", "content_type"),
	}, metricdatatest.IgnoreTimestamp())
	requireSum(t, tel, "otelcol_receiver_accepted_spans", 2) // the notice and the session's start
	requireSum(t, tel, "otelcol_receiver_refused_spans", 3)
	require.NoError(t, r.Shutdown(t.Context()))
	requireSum(t, tel, "otelcol_receiver_accepted_spans", 4) // and the summary and the root
	require.NoError(t, tel.Shutdown(t.Context()))
}

func requireSum(t *testing.T, tel *componenttest.Telemetry, name string, want int64) {
	m, err := tel.GetMetric(name)
	require.NoError(t, err)
	sum := int64(0)
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		sum += p.Value
	}
	require.Equal(t, want, sum, name)
}

func TestEvictionsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := quiet()
		cfg.Session.MaxSessions, cfg.Call.MaxOpen = 1, 1
		r, tel := measured(t, cfg, &gate{})
		tell(t, r, "a", notice)
		tell(t, r, "b", tool+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n"}}`)
		synctest.Wait()
		metadatatest.AssertEqualMcpReceiverEvictions(t, tel, []metricdata.DataPoint[int64]{
			point(1, "kind", "session"), point(1, "kind", "call"),
		}, metricdatatest.IgnoreTimestamp())
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, tel.Shutdown(t.Context()))
	})
}

// What a later report makes one of two calls is counted: metrics had both.
func TestFactsMerged(t *testing.T) {
	r, tel := measured(t, quiet(), &gate{})
	call := &event.ToolEnded{Use: event.ToolUse{Tool: `"Bash"`}}
	report := func(source event.Source, start, end int64) {
		call.Source, call.Use.Start = source, start
		require.NoError(t, r.runner.Run(t.Context(), "test", func(tx *session.Tx, now int64) error {
			return tx.Apply(t.Context(), &event.Envelope{Arrival: now, Time: end, Session: "s", Client: "agent"}, call)
		}))
	}
	now := time.Now().UnixNano()
	report(event.AgentLog, now, now+1)
	report(event.AgentSpan, now+10e9, now+11e9)
	report(event.Hook, now, now+11e9)
	metadatatest.AssertEqualMcpReceiverFactsMerged(t, tel, single(1), metricdatatest.IgnoreTimestamp())
	require.NoError(t, r.Shutdown(t.Context()))
}
