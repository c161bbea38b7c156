package telemetry

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Samples are what one transaction measured. They count only once it is committed.
type Samples struct {
	calls       []callSample
	utilization []float64
	tokens      int64
}

// callSample is one call: its labels and its duration in seconds.
type callSample struct {
	labels  callLabels
	seconds float64
}

type callLabels struct{ method, tool, errorType string }

// measure notes the duration of a call.
func (b *Batch) measure(e *session.CallEnd) {
	if !b.opt.Metrics || e.Call.Hook && e.Call.Server == "" {
		return // a host's own tools are no operations of MCP
	}
	s := callSample{labels: callLabels{method: e.Call.Method}, seconds: float64(e.Time-e.Call.Start) / 1e9}
	if e.Call.Method == mcpconv.MethodToolsCall {
		s.labels.tool = e.Call.Target
	}
	if ms, ok := hookDuration(e); ok {
		s.seconds = ms / 1e3
	}
	if e.Outcome.Failed {
		s.labels.errorType = strings.Clone(e.Outcome.Type)
	}
	b.samples.calls = append(b.samples.calls, s)
}

// sampleNotice notes what a heartbeat tells of tokens.
func (b *Batch) sampleNotice(n *session.Notice) {
	if !b.opt.Metrics {
		return
	}
	b.samples.tokens += n.Tokens
	if n.Event != nil {
		b.samples.tokens += max(n.Event.Tokens, 0)
	}
	if share, ok := utilization(n); ok && share >= 0 {
		b.samples.utilization = append(b.samples.utilization, share)
	}
}

// utilization is how full the host's context window is, of 1: as it computes
// from a heartbeat, or as the host tells under pressure.
func utilization(n *session.Notice) (share float64, ok bool) {
	switch {
	case n.Host != nil:
		used, hasUsed := n.Host.TokensUsed.Int()
		limit, hasLimit := n.Host.TokensLimit.Int()
		return float64(used) / max(float64(limit), 1), hasUsed && hasLimit && limit > 0
	case n.HostEvent != nil:
		percent, told := n.HostEvent.Percent.Float()
		return percent / 100, told
	}
	return 0, false
}

// Bounds of buckets: the semantic conventions' (MCP metrics), in seconds, and
// shares of a context window.
var (
	durationBounds    = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
	utilizationBounds = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1}
)

// Meter adds up measurements from the start of the receiver on. It is safe for
// concurrent use.
type Meter struct {
	opt     *Options
	methods *Names
	tools   *Names
	errors  *Names
	series  int // most there may be of durations

	mu          sync.Mutex
	start       time.Time
	durations   map[callLabels]*histogram
	utilization *histogram
	tokens      int64
	last        session.Sizes
	told        bool // since something changed
}

// seriesPerName bounds the combinations of labels, as a multiple of how many
// values each may have.
const seriesPerName = 10

// NewMeter starts to measure. limit is how many values a client may make up for
// each label; all beyond are "_other".
func NewMeter(opt *Options, limit int, start time.Time) *Meter {
	return &Meter{
		opt: opt, methods: NewNames(limit), tools: NewNames(limit), errors: NewNames(limit),
		series: seriesPerName * limit, start: start, durations: map[callLabels]*histogram{},
	}
}

// Add adds what a transaction measured, after it was committed.
func (m *Meter) Add(s *Samples) {
	if len(s.calls) == 0 && len(s.utilization) == 0 && s.tokens == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = false
	for i := range s.calls {
		m.duration(s.calls[i].labels).add(s.calls[i].seconds, durationBounds)
	}
	for _, share := range s.utilization {
		if m.utilization == nil {
			m.utilization = newHistogram(utilizationBounds)
		}
		m.utilization.add(share, utilizationBounds)
	}
	m.tokens += s.tokens
}

// duration is the histogram with those labels. The caller holds m.mu.
func (m *Meter) duration(l callLabels) *histogram {
	l = callLabels{m.methods.boundSome(l.method), m.tools.boundSome(l.tool), m.errors.boundSome(l.errorType)}
	if h := m.durations[l]; h != nil {
		return h
	}
	if len(m.durations) >= m.series {
		l = callLabels{method: otherName}
		if h := m.durations[l]; h != nil {
			return h
		}
	}
	h := newHistogram(durationBounds)
	m.durations[l] = h
	return h
}

// boundSome is Bound, but what is absent stays so.
func (n *Names) boundSome(name string) string {
	if name == "" {
		return ""
	}
	return n.Bound(name)
}

// Metrics is what was measured until now, cumulative; false when nothing has
// changed since the last time.
func (m *Meter) Metrics(now time.Time, sizes session.Sizes) (pmetric.Metrics, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := sizes.Sessions == m.last.Sessions && sizes.Calls == m.last.Calls && sizes.Stuck == m.last.Stuck &&
		maps.Equal(sizes.Phases, m.last.Phases)
	if m.told && same {
		return pmetric.Metrics{}, false
	}
	m.told, m.last = true, sizes
	md := pmetric.NewMetrics()
	w := m.writer(md, now)
	w.histograms(m.durations)
	w.gauges(sizes)
	w.utilization(m.utilization)
	w.tokens(m.tokens)
	return md, true
}

// Untold makes the next Metrics tell everything again, since no pipeline took
// the last.
func (m *Meter) Untold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = false
}

// histogram counts values in buckets.
type histogram struct {
	counts []uint64 // one more than bounds
	sum    float64
	min    float64
	max    float64
	n      uint64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) add(v float64, bounds []float64) {
	i, _ := slices.BinarySearch(bounds, v) // a bound belongs to the bucket below
	h.counts[i]++
	if h.n == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.sum += v
	h.n++
}

// writer writes metrics of one scope.
type writer struct {
	metrics    pmetric.MetricSlice
	start, now pcommon.Timestamp
}

func (m *Meter) writer(md pmetric.Metrics, now time.Time) *writer {
	rm := md.ResourceMetrics().AppendEmpty()
	if m.opt.ServiceName != "" {
		rm.Resource().Attributes().PutStr(mcpconv.ServiceName, m.opt.ServiceName)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(m.opt.ScopeName)
	sm.Scope().SetVersion(m.opt.ScopeVersion)
	return &writer{sm.Metrics(), pcommon.NewTimestampFromTime(m.start), pcommon.NewTimestampFromTime(now)}
}

func (w *writer) metric(name, unit, description string) pmetric.Metric {
	metric := w.metrics.AppendEmpty()
	metric.SetName(name)
	metric.SetUnit(unit)
	metric.SetDescription(description)
	return metric
}

func (w *writer) histograms(durations map[callLabels]*histogram) {
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
		put(p.Attributes(), mcpconv.MethodName, l.method)
		put(p.Attributes(), mcpconv.GenAIToolName, l.tool)
		put(p.Attributes(), mcpconv.ErrorType, l.errorType)
	}
}

func put(attributes pcommon.Map, key, value string) {
	if value != "" {
		attributes.PutStr(key, value)
	}
}

func (w *writer) point(p pmetric.HistogramDataPoint, h *histogram, bounds []float64) {
	p.SetStartTimestamp(w.start)
	p.SetTimestamp(w.now)
	p.SetCount(h.n)
	p.SetSum(h.sum)
	p.SetMin(h.min)
	p.SetMax(h.max)
	p.ExplicitBounds().FromRaw(bounds)
	p.BucketCounts().FromRaw(h.counts)
}

func (w *writer) gauges(s session.Sizes) {
	w.gauge(mcpconv.MetricInFlight, "{call}", "Calls that wait for their reply now.", int64(s.Calls))
	w.gauge(mcpconv.MetricStuck, "{call}", "Calls that have not moved for longer than they should.", int64(s.Stuck))
	g := w.metric(mcpconv.MetricSessions, "{session}", "Sessions that are open now, by the phase of their agent host.").SetEmptyGauge()
	for _, phase := range append([]string{""}, mcpconv.Phases...) {
		p := g.DataPoints().AppendEmpty()
		p.SetTimestamp(w.now)
		p.SetIntValue(int64(s.Phases[phase]))
		put(p.Attributes(), mcpconv.HostPhase, phase)
	}
}

func (w *writer) gauge(name, unit, description string, value int64) {
	p := w.metric(name, unit, description).SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetTimestamp(w.now)
	p.SetIntValue(value)
}

func (w *writer) utilization(h *histogram) {
	if h == nil {
		return
	}
	m := w.metric(mcpconv.MetricUtilization, "1", "Share of the model's context window in use, as agent hosts tell it.").SetEmptyHistogram()
	m.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	w.point(m.DataPoints().AppendEmpty(), h, utilizationBounds)
}

func (w *writer) tokens(n int64) {
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
