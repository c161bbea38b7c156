package mcpconnector

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
)

// testDecoder stands for the decoders of agents, which have tests of their own. A
// record or span of the scope "agent" is one's; "what" says what it reports.
type testDecoder struct{ report otlp.Report }

func newTestDecoder() otlp.Decoder { return &testDecoder{} }

func (d *testDecoder) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	a := event.SelfReport{Notice: event.Notice{Source: event.AgentLog}}
	return d.read(from, r.Attributes(), a, int64(r.Timestamp()))
}

func (d *testDecoder) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	a := event.SelfReport{Notice: event.Notice{Source: event.AgentSpan}, Native: event.Native{
		Trace: identity.TraceID(s.TraceID()), Span: identity.SpanID(s.SpanID()), Parent: identity.SpanID(s.ParentSpanID()),
		Start: int64(s.StartTimestamp()), End: int64(s.EndTimestamp()),
	}}
	return d.read(from, s.Attributes(), a, a.Native.End)
}

func (d *testDecoder) read(from *otlp.Origin, m pcommon.Map, a event.SelfReport, at int64) *otlp.Report {
	if from.Scope != "agent" {
		return nil
	}
	text := func(key string) string {
		v, ok := m.Get(key)
		if !ok {
			return ""
		}
		return v.Str()
	}
	number := func(key string) int64 {
		v, ok := m.Get(key)
		if !ok {
			return 0
		}
		return v.Int()
	}
	d.report = otlp.Report{Agent: "test-agent", Session: text("session"), Time: at, Events: d.report.Events[:0]}
	use := event.ToolUse{
		Tool: event.JSON(`"` + text("tool") + `"`), Decision: text("decision"), Start: number("start"), OutSize: number("size"),
	}
	if id := text("id"); id != "" {
		use.ID = event.JSON(`"` + id + `"`)
	}
	model := event.ModelUse{
		ID: text("id"), Model: "claude-test", Usage: event.Usage{Input: number("in"), Output: number("out")}, HasUsage: number("in") > 0,
		Start: number("start"), End: at,
	}
	if v, ok := m.Get("cost"); ok {
		model.Cost, model.HasCost = v.Double(), true
	}
	if a.Native.Valid() {
		use.Start, model.Start = a.Native.Start, a.Native.Start
	}
	a.Turn = text("turn")
	var e event.Event
	switch text("what") {
	case "prompt":
		e = &event.PromptSubmitted{SelfReport: a, Prompt: event.JSON(`"` + text("prompt") + `"`)}
	case "allowed":
		e = &event.ToolStarted{SelfReport: a, Use: use}
	case "tool":
		e = &event.ToolEnded{SelfReport: a, Use: use}
	case "denied":
		e = &event.ToolDenied{SelfReport: a, Use: use}
	case "model":
		e = &event.ModelEnded{SelfReport: a, Use: model}
	case "turn":
		e = &event.TurnEnded{SelfReport: a}
	case "end":
		e = &event.SessionEnded{SelfReport: a}
	case "internal":
		d.report.Internal = true
		return &d.report
	default:
		return &d.report
	}
	d.report.Events = append(d.report.Events, e)
	return &d.report
}

// fanLogs hand a request to the components of all edges, as the collector does.
type fanLogs []connector.Logs

func (f fanLogs) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	var err error
	for _, next := range f {
		err = errors.Join(err, next.ConsumeLogs(ctx, ld))
	}
	return err
}

type fanTraces []connector.Traces

func (f fanTraces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	var err error
	for _, next := range f {
		err = errors.Join(err, next.ConsumeTraces(ctx, td))
	}
	return err
}

// setup is a connector with all its edges.
type setup struct {
	c       *mcpConnector
	logs    fanLogs
	traces  fanTraces
	outLogs *consumertest.LogsSink
	out     *consumertest.TracesSink
	metrics *consumertest.MetricsSink
	all     []component.Component
}

func settings() connector.Settings { return connectortest.NewNopSettings(metadata.Type) }

func newSetup(tb testing.TB, set connector.Settings, change func(*Config)) *setup {
	tb.Helper()
	return newSetupOf(tb, set, change, newTestDecoder)
}

// newSetupOf is a setup with that decoder.
func newSetupOf(tb testing.TB, set connector.Settings, change func(*Config), decoder func() otlp.Decoder) *setup {
	tb.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	require.NoError(tb, cfg.Validate())
	f := newFactory(decoder)
	s := &setup{outLogs: &consumertest.LogsSink{}, out: &consumertest.TracesSink{}, metrics: &consumertest.MetricsSink{}}
	ctx := context.Background()
	toMetrics, err := f.CreateLogsToMetrics(ctx, set, cfg, s.metrics)
	require.NoError(tb, err)
	toTraces, err := f.CreateLogsToTraces(ctx, set, cfg, s.out)
	require.NoError(tb, err)
	toLogs, err := f.CreateLogsToLogs(ctx, set, cfg, s.outLogs)
	require.NoError(tb, err)
	fromSpans, err := f.CreateTracesToTraces(ctx, set, cfg, s.out)
	require.NoError(tb, err)
	fromTraces, err := f.CreateTracesToLogs(ctx, set, cfg, s.outLogs)
	require.NoError(tb, err)
	s.logs, s.traces = fanLogs{toMetrics, toTraces, toLogs}, fanTraces{fromSpans, fromTraces}
	s.all = []component.Component{toMetrics, toTraces, toLogs, fromSpans, fromTraces}
	s.c = toLogs.(logsEdge).Unwrap()
	return s
}

func (s *setup) start(tb testing.TB) {
	tb.Helper()
	for _, c := range s.all {
		require.NoError(tb, c.Start(context.Background(), componenttest.NewNopHost()))
	}
}

func (s *setup) stop(tb testing.TB) {
	tb.Helper()
	for _, c := range s.all {
		require.NoError(tb, c.Shutdown(context.Background()))
	}
}

// record is a log record with these attributes.
func record(ld plog.Logs, scope string, at int64, attributes map[string]any) {
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	lr := sl.LogRecords().AppendEmpty()
	lr.SetTimestamp(pcommon.Timestamp(at))
	_ = lr.Attributes().FromRaw(attributes)
}

// span is a span with these attributes.
func span(td ptrace.Traces, scope string, id byte, start, end int64, attributes map[string]any) {
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	s := ss.Spans().AppendEmpty()
	s.SetName("native")
	s.SetTraceID(pcommon.TraceID{7})
	s.SetSpanID(pcommon.SpanID{id})
	s.SetStartTimestamp(pcommon.Timestamp(start))
	s.SetEndTimestamp(pcommon.Timestamp(end))
	_ = s.Attributes().FromRaw(attributes)
}

// started are the spans that records of that name announced.
func (s *setup) started(name string) (ids []any) {
	for _, ld := range s.outLogs.AllLogs() {
		everyLog(ld, func(_ *otlp.Origin, r plog.LogRecord) bool {
			if r.EventName() == name {
				ids = append(ids, r.SpanID().String())
			}
			return true
		})
	}
	return ids
}

// spans are all that came out, by name.
func (s *setup) spans() map[string][]ptrace.Span {
	found := map[string][]ptrace.Span{}
	for _, td := range s.out.AllTraces() {
		everySpan(td, func(_ *otlp.Origin, span ptrace.Span) bool {
			found[span.Name()] = append(found[span.Name()], span)
			return true
		})
	}
	return found
}
