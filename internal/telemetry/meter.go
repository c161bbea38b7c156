package telemetry

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// utilizationBounds are those of the buckets of shares of a context window.
var utilizationBounds = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1}

// Meter adds up measurements from the start of the receiver on. It is safe for
// concurrent use.
type Meter struct {
	opt       *Options
	maxSeries int // of durations, and of what models used

	mu          sync.Mutex
	start       time.Time
	bounds      *labelBounds
	durations   map[durationLabels]*histogram
	recent      [recentMax]recentLabels // of durations, by their hash
	seed        maphash.Seed
	utilization *histogram             // nil if nothing was measured
	tokens      map[string]*tokenTotal // by agent host
	usage       map[usageLabels]*modelUsage
	last        store.Sizes
	report      uint64    // number of the last report, from 1
	reported    time.Time // when it was last reported, if nothing has changed since
}

// begun is the number of the report in which a series was first written, with the value
// 0: what backends call an increase needs a value before it. 0 is none.
type begun uint64

// tokenTotal adds up tokens.
type tokenTotal struct {
	begun begun
	n     int64
}

// unchangedFor is the time for which an unchanged value is not reported again. Backends drop what
// they are not told again, Prometheus after five minutes; an agent that hangs
// changes nothing, and must not vanish for that.
const unchangedFor = 4 * time.Minute

// seriesPerName bounds the combinations of labels, as a multiple of how many
// values each may have.
const seriesPerName = 10

// NewMeter starts to measure. limit is how many values clients may make up for
// each label; all beyond are "_other".
func NewMeter(opt *Options, limit int, start time.Time) *Meter {
	return &Meter{
		opt: opt, maxSeries: seriesPerName * limit, start: start, bounds: newLabelBounds(limit), seed: maphash.MakeSeed(),
		durations: map[durationLabels]*histogram{}, usage: map[usageLabels]*modelUsage{}, tokens: map[string]*tokenTotal{},
	}
}

// Add adds what a transaction measured, after it was committed.
func (m *Meter) Add(s *Samples) {
	if len(s.durations)+len(s.utilization)+len(s.tokens)+len(s.usage) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reported = time.Time{}
	for i := range s.durations {
		d := &s.durations[i]
		h := m.duration(&d.labels)
		h.add(d.seconds, durationMetrics[d.labels.of].bounds)
		if !d.trace.IsZero() {
			h.example = example{d.trace, d.span, d.seconds}
		}
	}
	for _, share := range s.utilization {
		if m.utilization == nil {
			m.utilization = newHistogram(utilizationBounds)
		}
		m.utilization.add(share, utilizationBounds)
	}
	for _, spent := range s.tokens {
		host := m.bounds.host(spent.host)
		if m.tokens[host] == nil {
			m.tokens[host] = &tokenTotal{}
		}
		m.tokens[host].n = store.AddSaturating(m.tokens[host].n, spent.tokens)
	}
	for i := range s.usage {
		m.used(&s.usage[i]).add(&s.usage[i])
	}
}

// usageLabels are the attributes of what calls of models used.
type usageLabels struct{ host, model, answered, provider string }

// modelUsage adds up what they used.
type modelUsage struct {
	store.Usage
	begun    [usageKinds]begun
	reported costTotal
	priced   costTotal // by a price table
}

func (u *modelUsage) add(s *usageSample) {
	u.Input = store.AddSaturating(u.Input, s.usage.Input)
	u.Output = store.AddSaturating(u.Output, s.usage.Output)
	u.CacheRead = store.AddSaturating(u.CacheRead, s.usage.CacheRead)
	u.CacheWrite = store.AddSaturating(u.CacheWrite, s.usage.CacheWrite)
	u.Reasoning = store.AddSaturating(u.Reasoning, s.usage.Reasoning)
	if s.priced {
		u.priced.dollars += s.cost
	} else {
		u.reported.dollars += s.cost
	}
}

// costTotal adds up what calls cost.
type costTotal struct {
	dollars float64
	begun   begun
}

// used returns the counters of the sample's model. The caller holds m.mu.
func (m *Meter) used(s *usageSample) *modelUsage {
	l := usageLabels{
		m.bounds.host(s.host), m.bounds.label(labelModel, s.model), m.bounds.label(labelAnswered, s.answered), m.bounds.label(labelProvider, s.provider),
	}
	if len(m.usage) >= m.maxSeries && m.usage[l] == nil {
		l = usageLabels{model: OtherName}
	}
	if m.usage[l] == nil {
		m.usage[l] = &modelUsage{}
	}
	return m.usage[l]
}

// recentMax is the number of label sets that are compared one by one: a map would hash the
// absent ones too, of which there are more.
const recentMax = 64

// recentLabels is a set of labels that was used before.
type recentLabels struct {
	labels    durationLabels
	histogram *histogram // nil if there is none
}

// duration is the histogram with those labels. The caller holds m.mu. Labels of which
// there is one are within the bounds: nearly all are, and are found at once.
func (m *Meter) duration(sample *durationLabels) *histogram {
	last := &m.recent[sample.sum(m.seed)%recentMax]
	if last.histogram != nil && last.labels == *sample {
		return last.histogram
	}
	h := m.durations[*sample]
	if h == nil {
		return m.another(sample)
	}
	*last = recentLabels{*sample, h}
	return h
}

// another is the histogram of labels of which there is none as they are. If half of the
// series there may be are in use, new ones no longer tell servers apart. Beyond the limit,
// all of a metric are one.
func (m *Meter) another(sample *durationLabels) *histogram {
	l := m.bounds.durations(*sample)
	if len(m.durations) >= m.maxSeries/2 && m.durations[l] == nil {
		l.at(serverEndpoint{})
	}
	if len(m.durations) >= m.maxSeries && m.durations[l] == nil {
		l = durationLabels{of: l.of}
		l.values[durationMetrics[l.of].mark()] = OtherName
	}
	h := m.durations[l]
	if h == nil {
		h = newHistogram(durationMetrics[l.of].bounds)
		m.durations[l] = h
	}
	return h
}

// Metrics returns what was measured until now, cumulative, and what is open. A new series
// of a counter or histogram is 0 in its first report, and has its value in the next. It
// returns false if nothing has changed since the last time, and that was less than four
// minutes ago.
func (m *Meter) Metrics(now time.Time, sizes store.Sizes) (pmetric.Metrics, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := sizes.Sessions == m.last.Sessions && sizes.Calls == m.last.Calls && sizes.Stuck == m.last.Stuck &&
		sizes.Stalled == m.last.Stalled && maps.Equal(sizes.Phases, m.last.Phases)
	if same && !m.reported.IsZero() && now.Sub(m.reported) < unchangedFor {
		return pmetric.Metrics{}, false
	}
	m.reported, m.last = now, sizes
	m.report++
	md := pmetric.NewMetrics()
	w := newMetricWriter(m.opt, md, m.start, now)
	w.report = begun(m.report)
	w.durations(m.durations)
	w.sizes(sizes)
	w.utilization(m.utilization)
	w.tokens(m.tokens)
	w.usage(m.usage)
	if w.zeros {
		m.reported = time.Time{}
	}
	return md, true
}

// Refused makes the next Metrics repeat the last report, which the pipeline did not
// accept.
func (m *Meter) Refused() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report--
	m.reported = time.Time{}
}

// example is the newest value of a histogram that a span leads to.
type example struct {
	trace identity.TraceID // zero if there is none
	span  identity.SpanID
	value float64
}

// histogram counts values in buckets.
type histogram struct {
	begun   begun
	example example
	counts  []uint64 // one more than bounds
	sum     float64
	min     float64
	max     float64
	n       uint64
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
