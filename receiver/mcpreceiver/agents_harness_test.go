package mcpreceiver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
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
		Tool: event.JSON(`"` + text("tool") + `"`), Name: text("name"), Server: text("server"), Decision: text("decision"), Start: number("start"), OutSize: number("size"),
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
		if a.Native.Valid() { // where the prompt was
			a.Time, a.Native = a.Native.Start, event.Native{}
		}
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

// otlpLogs and otlpTraces hand the receiver requests as its OTLP servers do: each is the
// receiver's own.
type (
	otlpLogs   struct{ consumer.Logs }
	otlpTraces struct{ consumer.Traces }
)

func (o otlpLogs) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	own := plog.NewLogs()
	ld.CopyTo(own)
	return o.Logs.ConsumeLogs(ctx, own)
}

func (o otlpTraces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	own := ptrace.NewTraces()
	td.CopyTo(own)
	return o.Traces.ConsumeTraces(ctx, own)
}

// setup is a receiver in pipelines of all signals, without servers.
type setup struct {
	c       *mcpReceiver
	logs    otlpLogs
	traces  otlpTraces
	outLogs *consumertest.LogsSink
	out     *consumertest.TracesSink
	metrics *consumertest.MetricsSink
}

func settings() receiver.Settings { return receivertest.NewNopSettings(metadata.Type) }

func newSetup(tb testing.TB, set receiver.Settings, change func(*Config)) *setup {
	tb.Helper()
	return newSetupOf(tb, set, change, newTestDecoder)
}

// newSetupOf is a setup with that decoder.
func newSetupOf(tb testing.TB, set receiver.Settings, change func(*Config), decoder func() otlp.Decoder) *setup {
	tb.Helper()
	cfg := quiet()
	if change != nil {
		change(cfg)
	}
	require.NoError(tb, cfg.Validate())
	s := &setup{outLogs: &consumertest.LogsSink{}, out: &consumertest.TracesSink{}, metrics: &consumertest.MetricsSink{}}
	var err error
	s.c, err = newReceiver(set, cfg, decoder)
	require.NoError(tb, err)
	s.c.setTraces(s.out)
	s.c.setLogs(s.outLogs)
	s.c.setMetrics(s.metrics)
	s.logs, s.traces = otlpLogs{s.c.otlp}, otlpTraces{s.c.otlp}
	return s
}

func (s *setup) start(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.c.Start(context.Background(), componenttest.NewNopHost()))
}

func (s *setup) stop(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.c.Shutdown(context.Background()))
}

func everyLog(ld plog.Logs, do func(*otlp.Origin, plog.LogRecord) bool) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				do(&otlp.Origin{Resource: rl.Resource().Attributes(), Scope: sl.Scope().Name()}, lr)
			}
		}
	}
}

func everySpan(td ptrace.Traces, do func(*otlp.Origin, ptrace.Span) bool) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				do(&otlp.Origin{Resource: rs.Resource().Attributes(), Scope: ss.Scope().Name()}, span)
			}
		}
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
