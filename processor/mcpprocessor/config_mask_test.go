package mcpprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadatatest"
)

func TestLoadMask(t *testing.T) {
	for id, want := range map[string]MaskConfig{
		"mcp": {},
		"mcp/mask_all": {
			Enabled: true, Rules: map[string]string{"ticket": "TICKET-[0-9]+"}, Disable: []string{"jwt"}, Keys: []string{"patient.name"},
		},
	} {
		cfg, err := load(t, id)
		require.NoError(t, err)
		require.NoError(t, confmap.Validate(cfg))
		assert.Equal(t, want, cfg.Mask)
	}
	cfg, err := load(t, "mcp/mask_wrong")
	require.NoError(t, err)
	err = confmap.Validate(cfg)
	for _, text := range []string{
		"mask: disable::0: \"no-rule\" is no rule", "keys::1: must not be empty", "rules::open: error parsing regexp", "rules::jwt: is the name of a built-in rule",
	} {
		require.ErrorContains(t, err, text)
	}
}

// A secret at the limit of truncate is masked, not cut in half and missed; and it is counted by rule.
func TestMasksBeforeTruncating(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Mask.Enabled, cfg.Normalize.Enabled, cfg.Stitch.Enabled, cfg.Truncate.MaxBytes = true, false, false, 30
	p := newPipeline(t, cfg)
	secret := "gh" + "p_" + strings.Repeat("aB3", 12)
	require.NoError(t, p.traces(t.Context(), spanWith("1234567890 "+secret)))
	require.NoError(t, p.logs(t.Context(), recordWith("1234567890123456 "+secret)))
	value, _ := p.outSpan.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("result_json")
	assert.Equal(t, "1234567890 [masked: github-pat", value.Str())
	body := p.outLog.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()
	assert.Equal(t, "1234567890123456 [masked: gith", body)
	metadatatest.AssertEqualMcpProcessorMaskedValues(t, p.Telemetry, []metricdata.DataPoint[int64]{
		{Value: 2, Attributes: attribute.NewSet(attribute.String("rule", "github-pat"))},
	}, metricdatatest.IgnoreTimestamp())
}
