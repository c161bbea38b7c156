package mcpprocessor

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadatatest"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncatetest"
)

// pipeline is a processor of each signal with a sink behind it.
type pipeline struct {
	*componenttest.Telemetry
	traces  func(context.Context, ptrace.Traces) error
	logs    func(context.Context, plog.Logs) error
	outSpan *consumertest.TracesSink
	outLog  *consumertest.LogsSink
}

func newPipeline(t *testing.T, cfg *Config) *pipeline {
	t.Helper()
	p := &pipeline{Telemetry: componenttest.NewTelemetry(), outSpan: new(consumertest.TracesSink), outLog: new(consumertest.LogsSink)}
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = p.NewTelemetrySettings()

	traces, err := NewFactory().CreateTraces(t.Context(), set, cfg, p.outSpan)
	require.NoError(t, err)
	logs, err := NewFactory().CreateLogs(t.Context(), set, cfg, p.outLog)
	require.NoError(t, err)
	changesLogs := cfg.Normalize.Enabled || cfg.Truncate.Enabled
	require.Equal(t, changesLogs || cfg.Stitch.Enabled, traces.Capabilities().MutatesData)
	require.Equal(t, changesLogs, logs.Capabilities().MutatesData)
	p.traces, p.logs = traces.ConsumeTraces, logs.ConsumeLogs
	return p
}

func TestCutsAndCounts(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Truncate.MaxBytes = 10
	p := newPipeline(t, cfg)

	require.NoError(t, p.traces(t.Context(), truncatetest.Traces(strings.Repeat("x", 14))))
	require.NoError(t, p.traces(t.Context(), truncatetest.Traces("fits")))
	require.NoError(t, p.logs(t.Context(), truncatetest.Logs(strings.Repeat("x", 12))))

	require.Len(t, p.outSpan.AllTraces(), 2)
	require.Len(t, p.outLog.AllLogs(), 1)
	metadatatest.AssertEqualMcpProcessorTruncatedValues(t, p.Telemetry, points(map[string]int64{
		"resource": 2, "scope": 2, "span": 1, "event": 1, "link": 1, "status": 1, "log": 1, "body": 1,
	}), metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualMcpProcessorTruncatedBytes(t, p.Telemetry, points(map[string]int64{
		"resource": 6, "scope": 6, "span": 4, "event": 4, "link": 4, "status": 4, "log": 2, "body": 2,
	}), metricdatatest.IgnoreTimestamp())
}

func points(counts map[string]int64) (out []metricdata.DataPoint[int64]) {
	for where, n := range counts {
		out = append(out, metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attribute.String("where", where))})
	}
	return out
}

func TestOff(t *testing.T) {
	p := newPipeline(t, &Config{Truncate: TruncateConfig{MaxBytes: 1, Mode: ModePrefix}})
	long := strings.Repeat("x", 100)
	require.NoError(t, p.traces(t.Context(), truncatetest.Traces(long)))
	require.NoError(t, p.logs(t.Context(), truncatetest.Logs(long)))
	assert.Equal(t, truncatetest.Traces(long), p.outSpan.AllTraces()[0])
	assert.Equal(t, truncatetest.Logs(long), p.outLog.AllLogs()[0])
	_, err := p.GetMetric("otelcol_mcp_processor_truncated_values")
	assert.Error(t, err, "nothing is counted")
}
