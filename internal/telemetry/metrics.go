package telemetry

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
)

// metricWriter writes the metrics of one scope.
type metricWriter struct {
	metrics    pmetric.MetricSlice
	start, now pcommon.Timestamp
}

func newMetricWriter(opt *Options, md pmetric.Metrics, start, now time.Time) *metricWriter {
	rm := md.ResourceMetrics().AppendEmpty()
	if opt.ServiceName != "" {
		rm.Resource().Attributes().PutStr(mcpconv.ServiceName, opt.ServiceName)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(opt.ScopeName)
	sm.Scope().SetVersion(opt.ScopeVersion)
	return &metricWriter{sm.Metrics(), pcommon.NewTimestampFromTime(start), pcommon.NewTimestampFromTime(now)}
}

func (w *metricWriter) metric(name, unit, description string) pmetric.Metric {
	metric := w.metrics.AppendEmpty()
	metric.SetName(name)
	metric.SetUnit(unit)
	metric.SetDescription(description)
	return metric
}

// durations writes those of calls, in the order of their labels.
func (w *metricWriter) durations(durations map[callLabels]*histogram) {
	if len(durations) == 0 {
		return
	}
	h := w.metric(mcpconv.MetricDuration, "s", "Time from an MCP request to its reply.").SetEmptyHistogram()
	h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	labels := slices.SortedFunc(maps.Keys(durations), func(a, b callLabels) int {
		return strings.Compare(a.method+"\x00"+a.tool+"\x00"+a.errorType, b.method+"\x00"+b.tool+"\x00"+b.errorType)
	})
	for _, l := range labels {
		p := h.DataPoints().AppendEmpty()
		w.point(p, durations[l], durationBounds)
		putLabel(p.Attributes(), mcpconv.MethodName, l.method)
		putLabel(p.Attributes(), mcpconv.GenAIToolName, l.tool)
		putLabel(p.Attributes(), mcpconv.ErrorType, l.errorType)
	}
}

func putLabel(attributes pcommon.Map, key, value string) {
	if value != "" {
		attributes.PutStr(key, value)
	}
}

func (w *metricWriter) point(p pmetric.HistogramDataPoint, h *histogram, bounds []float64) {
	p.SetStartTimestamp(w.start)
	p.SetTimestamp(w.now)
	p.SetCount(h.n)
	p.SetSum(h.sum)
	p.SetMin(h.min)
	p.SetMax(h.max)
	p.ExplicitBounds().FromRaw(bounds)
	p.BucketCounts().FromRaw(h.counts)
}

// sizes writes what is open.
func (w *metricWriter) sizes(s emit.Sizes) {
	w.gauge(mcpconv.MetricInFlight, "{call}", "Calls that wait for their reply now.", int64(s.Calls))
	w.gauge(mcpconv.MetricStuck, "{call}", "Calls that have not moved for longer than they should.", int64(s.Stuck))
	g := w.metric(mcpconv.MetricSessions, "{session}", "Sessions that are open now, by the phase of their agent host.").SetEmptyGauge()
	for _, phase := range append([]string{""}, mcpconv.Phases...) {
		p := g.DataPoints().AppendEmpty()
		p.SetTimestamp(w.now)
		p.SetIntValue(int64(s.Phases[phase]))
		putLabel(p.Attributes(), mcpconv.HostPhase, phase)
	}
}

func (w *metricWriter) gauge(name, unit, description string, value int64) {
	p := w.metric(name, unit, description).SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetTimestamp(w.now)
	p.SetIntValue(value)
}

// utilization writes how full context windows were; h may be nil.
func (w *metricWriter) utilization(h *histogram) {
	if h == nil {
		return
	}
	m := w.metric(mcpconv.MetricUtilization, "1", "Share of the model's context window in use, as agent hosts tell it.").SetEmptyHistogram()
	m.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	w.point(m.DataPoints().AppendEmpty(), h, utilizationBounds)
}

// tokens writes how many were spent, if any.
func (w *metricWriter) tokens(n int64) {
	if n == 0 {
		return
	}
	s := w.metric(mcpconv.MetricTokens, "{token}", "Tokens spent by all sessions, as agent hosts and Inspectors tell it.").SetEmptySum()
	s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	s.SetIsMonotonic(true)
	p := s.DataPoints().AppendEmpty()
	p.SetStartTimestamp(w.start)
	p.SetTimestamp(w.now)
	p.SetIntValue(n)
}
