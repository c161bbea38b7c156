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
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
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
