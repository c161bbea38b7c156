package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// metricWriter writes the metrics of one scope.
type metricWriter struct {
	metrics    pmetric.MetricSlice
	start, now pcommon.Timestamp
	report     begun // number of this one
	zeros      bool  // a series was written for the first time
}

// known reports whether the series was written in an earlier report. If not, it is 0 in
// this one.
func (w *metricWriter) known(b *begun) bool {
	if *b != 0 && *b < w.report {
		return true
	}
	*b, w.zeros = w.report, true
	return false
}

func newMetricWriter(opt *Options, md pmetric.Metrics, start, now time.Time) *metricWriter {
	rm := md.ResourceMetrics().AppendEmpty()
	if opt.ServiceName != "" {
		rm.Resource().Attributes().PutStr(mcpconv.ServiceName, opt.ServiceName)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(opt.ScopeName)
	sm.Scope().SetVersion(opt.ScopeVersion)
	return &metricWriter{metrics: sm.Metrics(), start: pcommon.NewTimestampFromTime(start), now: pcommon.NewTimestampFromTime(now)}
}

func (w *metricWriter) metric(d *MetricDefinition) pmetric.Metric {
	metric := w.metrics.AppendEmpty()
	metric.SetName(d.Name)
	metric.SetUnit(d.Unit)
	metric.SetDescription(d.Description)
	return metric
}

// durations writes those of calls and sessions, in the order of their labels.
func (w *metricWriter) durations(durations map[durationLabels]*histogram) {
	var h pmetric.Histogram
	all := slices.SortedFunc(maps.Keys(durations), durationLabels.compare)
	for i := range all {
		l := &all[i]
		m := &durationMetrics[l.of]
		if i == 0 || all[i-1].of != l.of {
			h = w.metric(m.definition()).SetEmptyHistogram()
			h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		}
		p := h.DataPoints().AppendEmpty()
		w.point(p, durations[*l], m.bounds)
		for _, name := range m.labels {
			putLabel(p.Attributes(), labelKeys[name], l.values[name])
		}
		if l.port > 0 {
			p.Attributes().PutInt(mcpconv.ServerPort, int64(l.port))
		}
	}
}

// usage writes what calls of models used.
func (w *metricWriter) usage(usage map[usageLabels]*modelUsage) {
	labels := slices.SortedFunc(maps.Keys(usage), func(a, b usageLabels) int {
		return cmp.Or(
			strings.Compare(a.host, b.host), strings.Compare(a.model, b.model),
			strings.Compare(a.answered, b.answered), strings.Compare(a.provider, b.provider))
	})
	for i := range usageMetrics {
		m := &usageMetrics[i]
		w.counters(usageDefinition(m.name, m.description), labels, func(l usageLabels, p pmetric.NumberDataPoint) bool {
			n := m.of(usage[l])
			if n <= 0 {
				return false
			}
			p.SetIntValue(0)
			if w.known(&usage[l].begun[i]) {
				p.SetIntValue(n)
			}
			putLabel(p.Attributes(), mcpconv.GenAITokenModality, mcpconv.ModalityUnknown)
			return true
		})
	}
	w.counters(&costMetric, labels, func(l usageLabels, p pmetric.NumberDataPoint) bool {
		return w.cost(&usage[l].reported, p)
	}, func(l usageLabels, p pmetric.NumberDataPoint) bool {
		p.Attributes().PutBool(mcpconv.LLMCostEstimated, true)
		return w.cost(&usage[l].priced, p)
	})
}

func (w *metricWriter) cost(of *costTotal, p pmetric.NumberDataPoint) bool {
	if of.dollars <= 0 {
		return false
	}
	p.SetDoubleValue(0)
	if w.known(&of.begun) {
		p.SetDoubleValue(of.dollars)
	}
	return true
}

// counters writes a counter with a point for each model and each of the fills that says
// that there is something.
func (w *metricWriter) counters(d *MetricDefinition, labels []usageLabels, fills ...func(usageLabels, pmetric.NumberDataPoint) bool) {
	points := pmetric.NewNumberDataPointSlice()
	for _, l := range labels {
		for _, fill := range fills {
			p := pmetric.NewNumberDataPoint()
			if !fill(l, p) {
				continue
			}
			p.SetStartTimestamp(w.start)
			p.SetTimestamp(w.now)
			putLabel(p.Attributes(), mcpconv.ClientName, l.host)
			putLabel(p.Attributes(), mcpconv.GenAIOperation, mcpconv.OperationChat)
			putLabel(p.Attributes(), mcpconv.GenAIRequestModel, l.model)
			putLabel(p.Attributes(), mcpconv.GenAIResponseModel, l.answered)
			putLabel(p.Attributes(), mcpconv.GenAIProvider, l.provider)
			p.MoveTo(points.AppendEmpty())
		}
	}
	if points.Len() == 0 {
		return
	}
	s := w.metric(d).SetEmptySum()
	s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	s.SetIsMonotonic(true)
	points.MoveAndAppendTo(s.DataPoints())
}

func putLabel(attributes pcommon.Map, key, value string) {
	if value != "" {
		attributes.PutStr(key, value)
	}
}

func (w *metricWriter) point(p pmetric.HistogramDataPoint, h *histogram, bounds []float64) {
	p.SetStartTimestamp(w.start)
	p.SetTimestamp(w.now)
	p.ExplicitBounds().FromRaw(bounds)
	if !w.known(&h.begun) {
		p.SetSum(0)
		p.BucketCounts().FromRaw(make([]uint64, len(h.counts)))
		return
	}
	p.SetCount(h.n)
	p.SetSum(h.sum)
	p.SetMin(h.min)
	p.SetMax(h.max)
	p.BucketCounts().FromRaw(h.counts)
	if e := &h.example; !e.trace.IsZero() {
		x := p.Exemplars().AppendEmpty()
		x.SetTimestamp(w.now)
		x.SetTraceID(pcommon.TraceID(e.trace))
		x.SetSpanID(pcommon.SpanID(e.span))
		x.SetDoubleValue(e.value)
	}
}

// sizes writes what is open.
func (w *metricWriter) sizes(s store.Sizes) {
	w.gauge(&inFlightMetric, int64(s.Calls))
	w.gauge(&stuckMetric, int64(s.Stuck))
	w.gauge(&stalledMetric, int64(s.Stalled))
	g := w.metric(&sessionsMetric).SetEmptyGauge()
	for _, phase := range append([]string{""}, mcpconv.Phases...) {
		p := g.DataPoints().AppendEmpty()
		p.SetTimestamp(w.now)
		p.SetIntValue(int64(s.Phases[phase]))
		putLabel(p.Attributes(), mcpconv.HostPhase, phase)
	}
}

func (w *metricWriter) gauge(d *MetricDefinition, value int64) {
	p := w.metric(d).SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetTimestamp(w.now)
	p.SetIntValue(value)
}

// utilization writes how full context windows were; h may be nil.
func (w *metricWriter) utilization(h *histogram) {
	if h == nil {
		return
	}
	m := w.metric(&utilizationMetric).SetEmptyHistogram()
	m.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	w.point(m.DataPoints().AppendEmpty(), h, utilizationBounds)
}

// tokens writes how many were spent, by agent host, if any.
func (w *metricWriter) tokens(spent map[string]*tokenTotal) {
	if len(spent) == 0 {
		return
	}
	s := w.metric(&tokensMetric).SetEmptySum()
	s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	s.SetIsMonotonic(true)
	for _, host := range slices.Sorted(maps.Keys(spent)) {
		p := s.DataPoints().AppendEmpty()
		p.SetStartTimestamp(w.start)
		p.SetTimestamp(w.now)
		p.SetIntValue(0)
		if w.known(&spent[host].begun) {
			p.SetIntValue(spent[host].n)
		}
		putLabel(p.Attributes(), mcpconv.ClientName, host)
	}
}
