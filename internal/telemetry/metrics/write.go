package metrics

import (
	"cmp"
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

func newMetricWriter(scope Scope, md pmetric.Metrics, start, now time.Time) *metricWriter {
	rm := md.ResourceMetrics().AppendEmpty()
	if scope.Service != "" {
		rm.Resource().Attributes().PutStr(mcpconv.ServiceName, scope.Service)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(scope.Name)
	sm.Scope().SetVersion(scope.Version)
	return &metricWriter{sm.Metrics(), pcommon.NewTimestampFromTime(start), pcommon.NewTimestampFromTime(now)}
}

func (w *metricWriter) metric(name, unit, description string) pmetric.Metric {
	metric := w.metrics.AppendEmpty()
	metric.SetName(name)
	metric.SetUnit(unit)
	metric.SetDescription(description)
	return metric
}

// durationMetric is a metric of durations, with the keys of its labels; "" is a
// label that it has not.
type durationMetric struct {
	name, description                     string
	method, tool, errors, model, provider string
}

var durationMetrics = [...]durationMetric{
	clientOperation: {
		mcpconv.MetricDuration, "Time from an MCP request to its reply.",
		mcpconv.MethodName, mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	serverOperation: {
		mcpconv.MetricServerDuration, "Time from an MCP request to its reply, as its server sees it.",
		mcpconv.MethodName, mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	inference: {
		mcpconv.MetricInference, "Duration of calls of language models, as agents report them.",
		mcpconv.GenAIOperation, "", mcpconv.ErrorType, mcpconv.GenAIRequestModel, mcpconv.GenAIProvider,
	},
	executeTool: {
		mcpconv.MetricExecuteTool, "Duration of tool calls, as agents report them.",
		"", mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	invokeAgent: {
		mcpconv.MetricInvokeAgent, "Duration of the work of sub-agents.",
		"", mcpconv.GenAIAgentName, mcpconv.ErrorType, mcpconv.GenAIRequestModel, "",
	},
	clientSession: {mcpconv.MetricClientSession, "Duration of MCP sessions.", mcpconv.ProtocolVersion, "", mcpconv.ErrorType, "", ""},
	serverSession: {
		mcpconv.MetricServerSession, "Duration of MCP sessions, as their server sees them.",
		mcpconv.ProtocolVersion, "", mcpconv.ErrorType, "", "",
	},
}

// durations writes those of calls, in the order of their labels.
func (w *metricWriter) durations(durations map[callLabels]*histogram) {
	labels := slices.SortedFunc(maps.Keys(durations), compareLabels)
	for len(labels) > 0 {
		of := labels[0].of
		n := slices.IndexFunc(labels, func(l callLabels) bool { return l.of != of })
		if n < 0 {
			n = len(labels)
		}
		m := &durationMetrics[of]
		h := w.metric(m.name, "s", m.description).SetEmptyHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for _, l := range labels[:n] {
			p := h.DataPoints().AppendEmpty()
			w.point(p, durations[l], durationBounds)
			putLabel(p.Attributes(), m.method, l.method)
			putLabel(p.Attributes(), m.tool, l.tool)
			putLabel(p.Attributes(), m.errors, l.errorType)
			putLabel(p.Attributes(), m.model, l.model)
			putLabel(p.Attributes(), m.provider, l.provider)
		}
		labels = labels[n:]
	}
}

func compareLabels(a, b callLabels) int {
	return cmp.Or(
		cmp.Compare(a.of, b.of), strings.Compare(a.method, b.method), strings.Compare(a.tool, b.tool),
		strings.Compare(a.errorType, b.errorType), strings.Compare(a.model, b.model), strings.Compare(a.provider, b.provider))
}

// usageMetrics are the counters of tokens, by the end of their names.
var usageMetrics = []struct {
	name, description string
	of                func(*used) int64
}{
	{"input_tokens", "Tokens that models were given, those from and for caches too.", func(u *used) int64 { return u.Input }},
	{"output_tokens", "Tokens that models wrote, those of reasoning too.", func(u *used) int64 { return u.Output }},
	{"cache_read.input_tokens", "Tokens that models were given from a cache.", func(u *used) int64 { return u.CacheRead }},
	{"cache_write.input_tokens", "Tokens that models were given and wrote to a cache.", func(u *used) int64 { return u.CacheWrite }},
	{"reasoning.output_tokens", "Tokens that models used to reason.", func(u *used) int64 { return u.Reasoning }},
}

// usage writes what calls of models used.
func (w *metricWriter) usage(usage map[usageLabels]*used) {
	labels := slices.SortedFunc(maps.Keys(usage), func(a, b usageLabels) int {
		return cmp.Or(strings.Compare(a.model, b.model), strings.Compare(a.provider, b.provider))
	})
	for _, m := range usageMetrics {
		w.counters(mcpconv.MetricInferenceUsage+m.name, "{token}", m.description, labels, func(l usageLabels, p pmetric.NumberDataPoint) bool {
			p.SetIntValue(m.of(usage[l]))
			return m.of(usage[l]) > 0
		})
	}
	w.counters(mcpconv.MetricCost, "{USD}", "Cost of calls of language models, as agents report it or by the configured prices.", labels,
		func(l usageLabels, p pmetric.NumberDataPoint) bool {
			p.SetDoubleValue(usage[l].cost)
			return usage[l].cost > 0
		})
}

// counters writes a counter with a point for each model for which fill says that
// there is something.
func (w *metricWriter) counters(name, unit, description string, labels []usageLabels, fill func(usageLabels, pmetric.NumberDataPoint) bool) {
	points := pmetric.NewNumberDataPointSlice()
	for _, l := range labels {
		p := pmetric.NewNumberDataPoint()
		if !fill(l, p) {
			continue
		}
		p.SetStartTimestamp(w.start)
		p.SetTimestamp(w.now)
		putLabel(p.Attributes(), mcpconv.GenAIRequestModel, l.model)
		putLabel(p.Attributes(), mcpconv.GenAIProvider, l.provider)
		p.MoveTo(points.AppendEmpty())
	}
	if points.Len() == 0 {
		return
	}
	s := w.metric(name, unit, description).SetEmptySum()
	s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	s.SetIsMonotonic(true)
	points.MoveAndAppendTo(s.DataPoints())
}

func putLabel(attributes pcommon.Map, key, value string) {
	if key != "" && value != "" {
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
