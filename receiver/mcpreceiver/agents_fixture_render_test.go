package mcpreceiver

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// rendering writes what came out so that a person can read it: spans as a tree, each
// with a number and one line, which begins with a + if the span is the agent's own; of
// such a span only what was added. Then the records, with the number of their span, and
// the metrics. What all spans of a session have is checked and left out.
type rendering struct {
	strings.Builder
	f        *otlpFixture
	spans    []ptrace.Span // as they came
	below    map[pcommon.SpanID][]ptrace.Span
	numbers  map[pcommon.SpanID]int
	services map[pcommon.SpanID]string
}

func renderTree(t *testing.T, f *otlpFixture) string {
	r := &rendering{
		f: f, below: map[pcommon.SpanID][]ptrace.Span{}, numbers: map[pcommon.SpanID]int{}, services: map[pcommon.SpanID]string{},
	}
	for _, td := range f.setup.out.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					assert.NotContains(t, r.services, span.SpanID(), "%s twice", span.Name())
					r.services[span.SpanID()] = asText(rs.Resource().Attributes().AsRaw()["service.name"])
					r.spans = append(r.spans, span)
				}
			}
		}
	}
	slices.SortStableFunc(r.spans, func(a, b ptrace.Span) int { return int(a.StartTimestamp()) - int(b.StartTimestamp()) })
	var tops []ptrace.Span
	for _, span := range r.spans {
		if _, ok := r.services[span.ParentSpanID()]; ok {
			r.below[span.ParentSpanID()] = append(r.below[span.ParentSpanID()], span)
		} else {
			tops = append(tops, span)
		}
	}
	r.number(tops)
	r.tree(t, tops, "")
	r.records()
	r.metrics()
	return r.String()
}

// number counts the spans in the order in which they are written.
func (r *rendering) number(spans []ptrace.Span) {
	for _, span := range spans {
		r.numbers[span.SpanID()] = len(r.numbers) + 1
		r.number(r.below[span.SpanID()])
	}
}

func (r *rendering) tree(t *testing.T, spans []ptrace.Span, indent string) {
	for _, span := range spans {
		r.span(t, span, indent)
		r.tree(t, r.below[span.SpanID()], indent+"  ")
	}
}

func (r *rendering) span(t *testing.T, span ptrace.Span, indent string) {
	attributes := span.Attributes().AsRaw()
	native, own := r.f.natives[span.SpanID().String()]
	if own {
		r.WriteString("+")
	} else {
		r.WriteString(" ")
		assert.Equal(t, span.Status().Code() == ptrace.StatusCodeError, attributes["mcp.status.code"] == "error", span.Name())
		assert.NotEmpty(t, attributes["session.id"], span.Name())
		assert.Equal(t, attributes["gen_ai.operation.name"] != nil, attributes["gen_ai.conversation.id"] != nil, span.Name())
		for _, key := range []string{"session.id", "gen_ai.conversation.id", "mcp.status.code", "mcp.jsonrpc.version"} {
			if span.Name() != mcpconv.SpanWorkflow {
				delete(attributes, key)
			}
		}
	}
	fmt.Fprintf(r, "#%-2d %s%s %s", r.numbers[span.SpanID()], indent, span.Name(), clock(span.StartTimestamp()))
	if end := endOf(span); end != span.StartTimestamp() {
		fmt.Fprintf(r, " %v", end.AsTime().Sub(span.StartTimestamp().AsTime()))
	}
	if span.Kind() != ptrace.SpanKindInternal {
		fmt.Fprintf(r, " %s", strings.ToUpper(span.Kind().String()))
	}
	if span.Status().Code() == ptrace.StatusCodeError {
		fmt.Fprintf(r, " ERROR %q", brief(span.Status().Message()))
	}
	for _, l := range span.Links().All() {
		fmt.Fprintf(r, " ->%s", r.ref(l.SpanID()))
	}
	for key, was := range native {
		if was == attributes[mcpconv.DialectOperation] && key == mcpconv.GenAIOperation { // it is no operation of the conventions
			continue
		}
		if was == attributes[mcpconv.DialectErrorType] && key == mcpconv.ErrorType { // they call it tool_error
			continue
		}
		if assert.Equal(t, was, attributes[key], "%s of %s", key, span.Name()) {
			delete(attributes, key)
		}
	}
	if indent == "" && !own {
		fmt.Fprintf(r, " [%s]", r.services[span.SpanID()])
	}
	r.attributes(attributes)
	for _, e := range span.Events().All() {
		if !own {
			fmt.Fprintf(r, " (%s %s", e.Name(), clock(e.Timestamp()))
			r.attributes(e.Attributes().AsRaw())
			r.WriteString(")")
		}
	}
	r.WriteString("\n")
}

func (r *rendering) attributes(attributes map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(r, " %s=%s", key, r.named(brief(asText(attributes[key]))))
	}
}

// named is the number of the span, if it is the id of one.
func (r *rendering) named(text string) string {
	for id, n := range r.numbers {
		if text == id.String() {
			return fmt.Sprintf("#%d", n)
		}
	}
	return text
}

func (r *rendering) ref(id pcommon.SpanID) string {
	if id.IsEmpty() {
		return "-"
	}
	return r.named(id.String())
}

func asText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// brief is a text of which a person knows the rest.
func brief(text string) string {
	text = strings.ReplaceAll(text, "\n", `\n`)
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return text
}

func clock(t pcommon.Timestamp) string {
	if t == 0 {
		return "-"
	}
	return t.AsTime().Format("15:04:05.000")
}

func (r *rendering) records() {
	r.WriteString("\nrecords\n")
	for _, ld := range r.f.setup.outLogs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					if lr.EventName() == mcpconv.LogSessionState {
						continue // TestFixtures of the receiver holds it against the summary
					}
					r.record(sl.Scope().Name() != mcpconv.ReceiverScope, lr)
				}
			}
		}
	}
}

func (r *rendering) record(agents bool, lr plog.LogRecord) {
	if agents {
		name, ok := lr.Attributes().Get("event.name")
		if !ok {
			name = lr.Body()
		}
		fmt.Fprintf(r, "+%s %s %s\n", clock(lr.Timestamp()), brief(name.AsString()), r.ref(lr.SpanID()))
		return
	}
	fmt.Fprintf(r, " %s %s %s %s\n", clock(lr.Timestamp()), lr.EventName(), lr.SeverityText(), r.ref(lr.SpanID()))
}

// metrics returns the metrics of the last report that has them.
func (r *rendering) metrics() {
	r.WriteString("\nmetrics\n")
	for _, md := range r.f.setup.metrics.AllMetrics()[max(len(r.f.setup.metrics.AllMetrics())-1, 0):] {
		for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			switch m.Type() {
			case pmetric.MetricTypeHistogram:
				for _, p := range m.Histogram().DataPoints().All() {
					fmt.Fprintf(r, "%s{%s} %d in %.6g %s\n", m.Name(), pointLabels(p.Attributes()), p.Count(), p.Sum(), m.Unit())
				}
			case pmetric.MetricTypeSum:
				r.numberPoints(m, m.Sum().DataPoints())
			case pmetric.MetricTypeGauge:
				r.numberPoints(m, m.Gauge().DataPoints())
			}
		}
	}
}

func (r *rendering) numberPoints(m pmetric.Metric, points pmetric.NumberDataPointSlice) {
	for _, p := range points.All() {
		value := strconv.FormatInt(p.IntValue(), 10)
		if p.ValueType() == pmetric.NumberDataPointValueTypeDouble {
			value = fmt.Sprintf("%.6g", p.DoubleValue())
		}
		fmt.Fprintf(r, "%s{%s} %s\n", m.Name(), pointLabels(p.Attributes()), value)
	}
}

func pointLabels(m pcommon.Map) string {
	var all []string
	for key, v := range m.All() {
		all = append(all, key+"="+v.AsString())
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}
