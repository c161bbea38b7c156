package mcpconnector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// newLogsReceiver is an mcp receiver that is in a pipeline for logs only.
func newLogsReceiver(t *testing.T, set component.TelemetrySettings) component.Component {
	f := mcpreceiver.NewFactory()
	rs := receivertest.NewNopSettings(f.Type())
	rs.TelemetrySettings = set
	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	r, err := f.CreateLogs(context.Background(), rs, cfg, consumertest.NewNop())
	require.NoError(t, err)
	return r
}

// Only the connector has pipelines for traces and metrics: what the receiver's timers
// end leaves by them, whichever of the two stops first.
func TestReceiverWithoutPipelinesOfItsOwn(t *testing.T) {
	for _, first := range []string{"receiver", "connector"} {
		t.Run(first, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set := settings()
				s := newSetup(t, set, nil)
				r := newLogsReceiver(t, set.TelemetrySettings)
				s.start(t)
				require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
				now := time.Now().UnixNano()
				ld := plog.NewLogs()
				record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
				record(ld, "agent", now, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "start": now - 1})
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				assert.Empty(t, s.spans()["tool.call"], "it is held")
				time.Sleep(11 * time.Second)
				synctest.Wait()
				assert.Len(t, s.spans()["tool.call"], 1)
				if first == "connector" {
					s.stop(t)
				}
				require.NoError(t, r.Shutdown(t.Context()))
				s.stop(t)
				assert.Len(t, s.spans()["workflow.run"], 1)
				require.NotEmpty(t, s.metrics.AllMetrics())
				assert.Contains(t, lastMetrics(s.metrics), "gen_ai.execute_tool.duration")
			})
		})
	}
}

// A connector without a pipeline for traces or logs hands on by the receiver's what the
// sessions make of what it is sent. What it is sent itself ends there.
func TestConnectorWithoutPipelinesOfItsOwn(t *testing.T) {
	now := time.Now().UnixNano()
	ld, td := plog.NewLogs(), ptrace.NewTraces()
	record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
	span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "prompt"})
	for name, open := range map[string]func(connector.Factory, connector.Settings, component.Config) (component.Component, func() error){
		"traces": func(f connector.Factory, set connector.Settings, cfg component.Config) (component.Component, func() error) {
			c, err := f.CreateTracesToMetrics(t.Context(), set, cfg, consumertest.NewNop())
			require.NoError(t, err)
			return c, func() error { return c.ConsumeTraces(t.Context(), td) }
		},
		"logs": func(f connector.Factory, set connector.Settings, cfg component.Config) (component.Component, func() error) {
			c, err := f.CreateLogsToMetrics(t.Context(), set, cfg, consumertest.NewNop())
			require.NoError(t, err)
			return c, func() error { return c.ConsumeLogs(t.Context(), ld) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings()
			c, send := open(newFactory(newTestDecoder), set, createDefaultConfig())
			s := setup{out: &consumertest.TracesSink{}, outLogs: &consumertest.LogsSink{}}
			r := newReceiverOf(t, set.TelemetrySettings, s.out, s.outLogs)
			require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
			for _, signal := range r {
				require.NoError(t, signal.Start(t.Context(), componenttest.NewNopHost()))
			}
			require.NoError(t, send())
			assert.Len(t, s.spans()["session.start"], 1)
			assert.Len(t, s.started("session.start"), 1)
			assert.Empty(t, s.spans()["native"])
			require.NoError(t, r[0].Shutdown(t.Context()))
			require.NoError(t, r[1].Shutdown(t.Context()))
			require.NoError(t, c.Shutdown(t.Context()))
		})
	}
}

// newReceiverOf is an mcp receiver, without servers, that is in pipelines for traces and logs.
func newReceiverOf(t *testing.T, set component.TelemetrySettings, traces consumer.Traces, logs consumer.Logs) [2]component.Component {
	f := mcpreceiver.NewFactory()
	rs := receivertest.NewNopSettings(f.Type())
	rs.TelemetrySettings = set
	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	one, err := f.CreateTraces(t.Context(), rs, cfg, traces)
	require.NoError(t, err)
	two, err := f.CreateLogs(t.Context(), rs, cfg, logs)
	require.NoError(t, err)
	return [2]component.Component{one, two}
}
