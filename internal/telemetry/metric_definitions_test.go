package telemetry

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// TestDefinitions: what is written is what is documented.
func TestDefinitions(t *testing.T) {
	documented := map[string]MetricDefinition{}
	for _, d := range MetricDefinitions() {
		require.NotContains(t, documented, d.Name)
		documented[d.Name] = d
	}
	m := NewMeter(&Options{}, 10, time.Unix(1, 0))
	s := Samples{
		wanted: wanted{All: true}, utilization: []float64{0.5}, tokens: []tokenSample{{"host", 1}},
		usage: []usageSample{{usageLabels{"host", "model", "answered", "provider"}, store.Usage{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1, Reasoning: 1}, 1, true}},
	}
	for of := range durationMetrics {
		l := s.next(durationKind(of), 1)
		for i := range l.values {
			l.values[i] = "x"
		}
		if slices.Contains(durationMetrics[of].labels, labelAddress) {
			l.port = 1
		}
	}
	m.Add(&s)
	md, _ := m.Metrics(time.Unix(2, 0), store.Sizes{})
	metrics := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	require.Equal(t, len(documented), metrics.Len())
	for _, metric := range metrics.All() {
		require.Contains(t, documented, metric.Name())
		d := documented[metric.Name()]
		require.Equal(t, d.Unit, metric.Unit())
		for _, key := range keysOf(metric) {
			require.Contains(t, d.Attributes, key, metric.Name())
		}
		if metric.Type() != pmetric.MetricTypeGauge {
			require.Len(t, keysOf(metric), len(d.Attributes), metric.Name())
		}
	}
}

func keysOf(metric pmetric.Metric) (keys []string) {
	switch metric.Type() {
	case pmetric.MetricTypeHistogram:
		for key := range metric.Histogram().DataPoints().At(0).Attributes().All() {
			keys = append(keys, key)
		}
	case pmetric.MetricTypeSum:
		for key := range metric.Sum().DataPoints().At(0).Attributes().All() {
			keys = append(keys, key)
		}
	}
	return keys
}
