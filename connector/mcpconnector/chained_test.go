package mcpconnector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// prompted lets sessions take a prompt that a hook of Claude Code reports.
func prompted(ctx context.Context, r *pipeline.Runner) error {
	return r.Run(ctx, "hooks", func(tx *session.Tx, now int64) error {
		env := event.Envelope{Arrival: now, Time: now, Session: "s", Client: "claude-code", Direction: event.FromClient}
		return tx.Apply(ctx, &env, &event.PromptSubmitted{
			SelfReport: event.SelfReport{Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}}},
			Prompt:     `"go"`,
		})
	})
}

// The receiver's pipeline may lead to the connector that shares its sessions. What
// the receiver makes of them passes: it has the agent's name, but is none's report.
func TestReceiverFeedsTheConnector(t *testing.T) {
	set, ctx := settings(), t.Context()
	sink := &consumertest.TracesSink{}
	c, err := NewFactory().CreateTracesToTraces(ctx, set, createDefaultConfig(), sink)
	require.NoError(t, err)
	f := mcpreceiver.NewFactory()
	rs := receivertest.NewNopSettings(f.Type())
	rs.TelemetrySettings = set.TelemetrySettings
	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	r, err := f.CreateTraces(ctx, rs, cfg, c)
	require.NoError(t, err)
	require.NoError(t, c.Start(ctx, componenttest.NewNopHost()))
	require.NoError(t, r.Start(ctx, componenttest.NewNopHost()))
	bounded, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	require.NoError(t, prompted(bounded, c.(tracesEdge).Unwrap().sessions.Runner))
	assert.Positive(t, sink.SpanCount())
	require.NoError(t, r.Shutdown(ctx))
	require.NoError(t, c.Shutdown(ctx))
}
