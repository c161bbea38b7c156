// Package mask replaces secrets in everything of traces, logs and metrics that can hold text.
package mask // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/mask"

import (
	"context"
	"fmt"
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mask"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// Masker replaces secrets and counts them by rule. Its Traces, Logs and Metrics are functions for processorhelper: they change what
// they get and never fail. It is safe for concurrent use.
type Masker struct {
	masker    *mask.Masker // nil if masking is off
	telemetry *metadata.TelemetryBuilder
}

// New returns a masker. If masking is off, it lets everything through.
func New(cfg *Config, telemetry *metadata.TelemetryBuilder) (*Masker, error) {
	if !cfg.Enabled {
		return &Masker{}, nil
	}
	masker, err := mask.New(cfg.options())
	return &Masker{masker, telemetry}, err
}

// Traces replaces secrets in resources, scopes, spans, span events and links.
func (m *Masker) Traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	if m.masker == nil {
		return td, nil
	}
	b := batch{m.masker, mask.Counts{}}
	for _, rs := range td.ResourceSpans().All() {
		b.attributes(rs.Resource().Attributes())
		text(&b, rs)
		for _, ss := range rs.ScopeSpans().All() {
			b.scope(ss.Scope())
			text(&b, ss)
			for _, span := range ss.Spans().All() {
				b.span(span)
			}
		}
	}
	m.record(ctx, b.counts)
	return td, nil
}

// Logs replaces secrets in resources, scopes and log records.
func (m *Masker) Logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	if m.masker == nil {
		return ld, nil
	}
	b := batch{m.masker, mask.Counts{}}
	for _, rl := range ld.ResourceLogs().All() {
		b.attributes(rl.Resource().Attributes())
		text(&b, rl)
		for _, sl := range rl.ScopeLogs().All() {
			b.scope(sl.Scope())
			text(&b, sl)
			for _, record := range sl.LogRecords().All() {
				b.attributes(record.Attributes())
				b.value("", record.Body())
				b.replace(record.SeverityText(), record.SetSeverityText)
				b.replace(record.EventName(), record.SetEventName)
			}
		}
	}
	m.record(ctx, b.counts)
	return ld, nil
}

// Metrics replaces secrets in resources, scopes, metrics, data points and exemplars.
func (m *Masker) Metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	if m.masker == nil {
		return md, nil
	}
	b := batch{m.masker, mask.Counts{}}
	for _, rm := range md.ResourceMetrics().All() {
		b.attributes(rm.Resource().Attributes())
		text(&b, rm)
		for _, sm := range rm.ScopeMetrics().All() {
			b.scope(sm.Scope())
			text(&b, sm)
			for _, metric := range sm.Metrics().All() {
				b.metric(metric)
			}
		}
	}
	m.record(ctx, b.counts)
	return md, nil
}

func (m *Masker) record(ctx context.Context, counts mask.Counts) {
	for rule, n := range counts {
		m.telemetry.McpProcessorMaskedValues.Add(ctx, int64(n), metric.WithAttributes(attribute.String("rule", rule)))
	}
}

// A batch replaces and counts.
type batch struct {
	*mask.Masker
	counts mask.Counts
}

// text replaces secrets in the schema URL.
func text(b *batch, of interface {
	SchemaUrl() string
	SetSchemaUrl(url string)
},
) {
	b.replace(of.SchemaUrl(), of.SetSchemaUrl)
}

func (b *batch) replace(text string, set func(string)) {
	if out := b.Text(text, b.counts); out != text {
		set(out)
	}
}

func (b *batch) scope(scope pcommon.InstrumentationScope) {
	b.attributes(scope.Attributes())
	b.replace(scope.Name(), scope.SetName)
	b.replace(scope.Version(), scope.SetVersion)
}

func (b *batch) span(span ptrace.Span) {
	b.attributes(span.Attributes())
	b.replace(span.Name(), span.SetName)
	b.replace(span.Status().Message(), span.Status().SetMessage)
	b.replace(span.TraceState().AsRaw(), span.TraceState().FromRaw)
	for _, event := range span.Events().All() {
		b.attributes(event.Attributes())
		b.replace(event.Name(), event.SetName)
	}
	for _, link := range span.Links().All() {
		b.attributes(link.Attributes())
		b.replace(link.TraceState().AsRaw(), link.TraceState().FromRaw)
	}
}

func (b *batch) metric(metric pmetric.Metric) {
	b.replace(metric.Name(), metric.SetName)
	b.replace(metric.Description(), metric.SetDescription)
	b.replace(metric.Unit(), metric.SetUnit)
	b.attributes(metric.Metadata())
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		points(b, metric.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		points(b, metric.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		points(b, metric.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		points(b, metric.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		for _, point := range metric.Summary().DataPoints().All() {
			b.attributes(point.Attributes())
		}
	case pmetric.MetricTypeEmpty:
	}
}

func points[P interface {
	Attributes() pcommon.Map
	Exemplars() pmetric.ExemplarSlice
}](b *batch, all iter.Seq2[int, P],
) {
	for _, point := range all {
		b.attributes(point.Attributes())
		for _, exemplar := range point.Exemplars().All() {
			b.attributes(exemplar.FilteredAttributes())
		}
	}
}

// attributes replaces secrets in keys and values.
func (b *batch) attributes(attrs pcommon.Map) {
	renamed := false
	for key, value := range attrs.All() {
		b.value(key, value)
		renamed = renamed || b.Text(key, nil) != key
	}
	if renamed {
		b.rename(attrs)
	}
}

// rename replaces secrets in keys. Keys that become the same get numbers, so that no value is lost.
func (b *batch) rename(attrs pcommon.Map) {
	out := pcommon.NewMap()
	out.EnsureCapacity(attrs.Len())
	for key, value := range attrs.All() {
		name := b.Text(key, b.counts)
		for n := 2; has(out, name); n++ {
			name = fmt.Sprintf("%s %d", b.Text(key, nil), n)
		}
		value.MoveTo(out.PutEmpty(name))
	}
	out.MoveTo(attrs)
}

func has(attrs pcommon.Map, key string) bool {
	_, ok := attrs.Get(key)
	return ok
}

// value replaces secrets in the value of that key at any depth.
func (b *batch) value(key string, value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		if out, ok := b.Member(key, value.Str(), b.counts); ok {
			value.SetStr(out)
		} else {
			b.replace(value.Str(), value.SetStr)
		}
	case pcommon.ValueTypeMap:
		if !b.whole(key, value) {
			b.attributes(value.Map())
		}
	case pcommon.ValueTypeSlice:
		if b.whole(key, value) {
			return
		}
		for _, item := range value.Slice().All() {
			b.value(key, item)
		}
	case pcommon.ValueTypeBytes:
		if b.whole(key, value) {
			return
		}
		bytes := value.Bytes()
		b.replace(string(bytes.AsRaw()), func(out string) { bytes.FromRaw([]byte(out)) })
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble:
		if b.Numeric(key) {
			b.counts[mask.RuleSecret]++
			value.SetStr(mask.For(mask.RuleSecret))
			return
		}
		b.whole(key, value)
	case pcommon.ValueTypeBool, pcommon.ValueTypeEmpty:
		b.whole(key, value)
	}
}

// whole replaces the value if its key is configured, and reports whether it is.
func (b *batch) whole(key string, value pcommon.Value) bool {
	if !b.Keyed(key) {
		return false
	}
	b.counts[mask.RuleKey]++
	value.SetStr(mask.For(mask.RuleKey))
	return true
}
