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
	changesLogs := cfg.Normalize.Enabled || cfg.Mask.Enabled || cfg.Truncate.Enabled
	require.Equal(t, changesLogs || cfg.Stitch.Enabled, traces.Capabilities().MutatesData)
	require.Equal(t, changesLogs, logs.Capabilities().MutatesData)
	p.traces, p.logs = traces.ConsumeTraces, logs.ConsumeLogs
	return p
}

func TestCutsAndCounts(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Truncate.MaxBytes = 10
	p := newPipeline(t, cfg)

	require.NoError(t, p.traces(t.Context(), spanWith(strings.Repeat("x", 14))))
	require.NoError(t, p.traces(t.Context(), spanWith("fits")))
	require.NoError(t, p.logs(t.Context(), recordWith(strings.Repeat("x", 12))))

	require.Len(t, p.outSpan.AllTraces(), 2)
	require.Len(t, p.outLog.AllLogs(), 1)
	metadatatest.AssertEqualMcpProcessorTruncatedValues(t, p.Telemetry, points(map[string]int64{"span": 1, "body": 1}), metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualMcpProcessorTruncatedBytes(t, p.Telemetry, points(map[string]int64{"span": 4, "body": 2}), metricdatatest.IgnoreTimestamp())
}

func spanWith(value string) ptrace.Traces {
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes().PutStr("result_json", value)
	return td
}

func recordWith(body string) plog.Logs {
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(body)
	return ld
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
	require.NoError(t, p.traces(t.Context(), spanWith(long)))
	require.NoError(t, p.logs(t.Context(), recordWith(long)))
	assert.Equal(t, spanWith(long), p.outSpan.AllTraces()[0])
	assert.Equal(t, recordWith(long), p.outLog.AllLogs()[0])
	_, err := p.GetMetric("otelcol_mcp_processor_truncated_values")
	assert.Error(t, err, "nothing is counted")
}
