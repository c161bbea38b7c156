package mcpprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadatatest"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/normalize"
)

func TestLoadNormalize(t *testing.T) {
	for id, want := range map[string]NormalizeConfig{
		"mcp": normalize.DefaultConfig(),
		"mcp/normalize_all": {
			Enabled: true, Dialects: []string{"openinference", "vercel"}, Conventions: []string{"otel"}, Also: []string{"langfuse"},
			RemoveOriginals: true, RenameSpans: true,
		},
		"mcp/normalize_off": {Conventions: []string{"inspector", "otel"}, Kinds: true, Status: true},
	} {
		t.Run(id, func(t *testing.T) {
			cfg, err := load(t, id)
			require.NoError(t, err)
			require.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, want, cfg.Normalize)
		})
	}
}

func TestValidateNormalize(t *testing.T) {
	cfg, err := load(t, "mcp/normalize_wrong")
	require.NoError(t, err)
	err = confmap.Validate(cfg)
	for _, text := range []string{
		`normalize: dialects::1: "esperanto" is not one of claude_code, codex,`,
		`also::0: "phoenix" is not one of openinference, langfuse`,
		"conventions must name `inspector`, `otel` or both (to add nothing, set `enabled: false`)",
	} {
		require.ErrorContains(t, err, text)
	}
	cfg, err = load(t, "mcp/normalize_convention")
	require.NoError(t, err)
	require.ErrorContains(t, confmap.Validate(cfg), `conventions::0: "semconv" is not one of inspector, otel`)
}

// TestNormalizesFirst: what is added is cut too, and counted.
func TestNormalizesFirst(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Truncate.MaxBytes, cfg.Stitch.Enabled = 10, false
	p := newPipeline(t, cfg)
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.Attributes().PutStr("openinference.span.kind", "TOOL")
	span.Attributes().PutStr("input.value", strings.Repeat("x", 30))
	require.NoError(t, p.traces(t.Context(), td))
	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Attributes().PutStr("event.name", "codex.tool_result")
	record.Attributes().PutStr("arguments", strings.Repeat("x", 30))
	require.NoError(t, p.logs(t.Context(), ld))

	for _, m := range []map[string]any{
		p.outSpan.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw(),
		p.outLog.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw(),
	} {
		assert.Equal(t, strings.Repeat("x", 10), m["gen_ai.tool.call.arguments"])
		assert.Equal(t, true, m["gen_ai.tool.call.arguments_truncated"])
	}
	metadatatest.AssertEqualMcpProcessorNormalizedItems(t, p.Telemetry, []metricdata.DataPoint[int64]{
		{Value: 1, Attributes: attribute.NewSet(attribute.String("dialect", "openinference"), attribute.String("where", "span"))},
		{Value: 1, Attributes: attribute.NewSet(attribute.String("dialect", "codex"), attribute.String("where", "log"))},
	}, metricdatatest.IgnoreTimestamp())
}
