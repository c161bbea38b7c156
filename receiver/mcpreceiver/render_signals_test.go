package mcpreceiver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"
)

// The rendering of log records and metrics in fixtures, as that of spans.
type (
	renderedLog struct {
		Event      string         `yaml:"event"`
		Service    string         `yaml:"service"`
		Severity   string         `yaml:"severity"`
		Body       string         `yaml:"body,omitempty"` // only if not the event's name
		Time       string         `yaml:"time"`
		Trace      string         `yaml:"trace,omitempty"`
		Span       string         `yaml:"span,omitempty"`
		Attributes map[string]any `yaml:"attributes,omitempty"`
	}
	renderedDelivery struct {
		Time    string           `yaml:"time"`
		Metrics []renderedMetric `yaml:"metrics"`
	}
	renderedMetric struct {
		Name   string          `yaml:"name"`
		Unit   string          `yaml:"unit"`
		Points []renderedPoint `yaml:"points"`
	}
	renderedPoint struct {
		Attributes map[string]any `yaml:"attributes,omitempty"`
		Value      int64          `yaml:"value,omitempty"`
		Count      uint64         `yaml:"count,omitempty"`
		Sum        float64        `yaml:"sum,omitempty"`
		Buckets    []uint64       `yaml:"buckets,omitempty,flow"`
	}
)

func renderLogs(t *testing.T, ld plog.Logs) []byte {
	records := []renderedLog{}
	for _, rl := range ld.ResourceLogs().All() {
		service, _ := rl.Resource().Attributes().Get("service.name")
		for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
			body := lr.Body().Str()
			if body == lr.EventName() {
				body = ""
			}
			out := renderedLog{
				Event: lr.EventName(), Service: service.Str(), Severity: lr.SeverityNumber().String() + " " + lr.SeverityText(),
				Body: body, Time: instant(lr.Timestamp()), Trace: lr.TraceID().String(), Span: lr.SpanID().String(),
				Attributes: lr.Attributes().AsRaw(),
			}
			if _, ok := lr.Attributes().Get("session.id"); !ok { // random
				out.Trace, out.Span = "", ""
			}
			records = append(records, out)
		}
	}
	text, err := yaml.Marshal(records)
	require.NoError(t, err)
	return text
}

func renderMetrics(t *testing.T, all []pmetric.Metrics) []byte {
	deliveries := []renderedDelivery{}
	for _, md := range all {
		var d renderedDelivery
		for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			out := renderedMetric{Name: m.Name(), Unit: m.Unit()}
			out.Points, d.Time = renderPoints(m)
			d.Metrics = append(d.Metrics, out)
		}
		deliveries = append(deliveries, d)
	}
	text, err := yaml.Marshal(deliveries)
	require.NoError(t, err)
	return text
}

func renderPoints(m pmetric.Metric) (points []renderedPoint, at string) {
	number := func(p pmetric.NumberDataPoint) {
		at = instant(p.Timestamp())
		points = append(points, renderedPoint{Attributes: p.Attributes().AsRaw(), Value: p.IntValue()})
	}
	switch m.Type() {
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			at = instant(p.Timestamp())
			points = append(points, renderedPoint{
				Attributes: p.Attributes().AsRaw(), Count: p.Count(), Sum: p.Sum(), Buckets: p.BucketCounts().AsRaw(),
			})
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			number(p)
		}
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			number(p)
		}
	}
	return points, at
}
