package mcpconnector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector/internal/metadatatest"
)

// What comes when the receiver has stopped passes: the same data, without a copy. It is
// counted.
func TestLateTelemetryPassesUntouched(t *testing.T) {
	tel := componenttest.NewTelemetry()
	set := metadatatest.NewSettings(tel)
	s := newSetup(t, set, nil)
	r, _ := newReceiver(t, set.TelemetrySettings)
	s.start(t)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, r.Shutdown(t.Context()))
	now := time.Now().UnixNano()
	ld, td := plog.NewLogs(), ptrace.NewTraces()
	record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
	record(ld, "foreign", now, nil)
	span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
	span(td, "foreign", 2, now, now+1, nil)
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	s.stop(t)
	assert.Equal(t, []plog.Logs{ld}, s.outLogs.AllLogs())
	assert.Equal(t, []ptrace.Traces{td}, s.out.AllTraces())
	metadatatest.AssertEqualMcpConnectorNotedReports(t, tel, []metricdata.DataPoint[int64]{
		{Value: 2, Attributes: attribute.NewSet(attribute.String("reason", "sessions ended"))},
	}, metricdatatest.IgnoreTimestamp())
	_, err := tel.GetMetric("otelcol_mcp_connector_losses")
	require.Error(t, err, "nothing is lost")
	require.NoError(t, tel.Shutdown(t.Context()))
}

// Late telemetry stays within its tenant, and an agent's own machinery is dropped as ever.
func TestLateTelemetryOfTenants(t *testing.T) {
	s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"organization.id"} })
	s.start(t)
	s.stop(t)
	now := time.Now().UnixNano()
	ld, td := plog.NewLogs(), ptrace.NewTraces()
	record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
	of(ld, "a", "")
	record(ld, "foreign", now, map[string]any{"session.id": "b/s"})
	of(ld, "a", "")
	span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "organization.id": "a"})
	span(td, "agent", 2, now, now+1, map[string]any{"session": "s", "what": "internal", "organization.id": "a"})
	span(td, "foreign", 3, now, now+1, map[string]any{"session.id": "b/s", "organization.id": "a"})
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	require.Len(t, s.outLogs.AllLogs(), 1)
	for i, want := range []string{"a/s", "a/b/s"} {
		lr := s.outLogs.AllLogs()[0].ResourceLogs().At(i).ScopeLogs().At(0).LogRecords().At(0)
		assert.Equal(t, want, lr.Attributes().AsRaw()["mcp.session.part_of"])
	}
	spans := s.spans()["native"]
	require.Len(t, spans, 2)
	assert.Equal(t, "a/s", spans[0].Attributes().AsRaw()["mcp.session.part_of"])
	assert.Equal(t, "a/b/s", spans[1].Attributes().AsRaw()["mcp.session.part_of"])
}

// Records that have no pipeline are there for the sessions only: when these have ended,
// they are lost, and counted as such.
func TestLateTelemetryWithoutPipeline(t *testing.T) {
	tel := componenttest.NewTelemetry()
	c, err := newFactory(newTestDecoder).CreateLogsToTraces(t.Context(), metadatatest.NewSettings(tel), createDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, c.Shutdown(context.Background()))
	ld := plog.NewLogs()
	record(ld, "agent", 1, map[string]any{"session": "s", "what": "prompt"})
	require.NoError(t, c.ConsumeLogs(t.Context(), ld))
	metadatatest.AssertEqualMcpConnectorLosses(t, tel, []metricdata.DataPoint[int64]{
		{Value: 1, Attributes: attribute.NewSet(attribute.String("kind", "log record"))},
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, tel.Shutdown(t.Context()))
}
