package mcpreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// What is no agent's passes as it is: the same data, without a copy.
func TestForeignDataPassesUntouched(t *testing.T) {
	s := newSetup(t, settings(), nil)
	ld, td := plog.NewLogs(), ptrace.NewTraces()
	record(ld, "foreign", 1, map[string]any{"a": "b"})
	span(td, "foreign", 1, 1, 2, nil)
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	assert.Equal(t, []plog.Logs{ld}, s.outLogs.AllLogs())
	assert.Equal(t, []ptrace.Traces{td}, s.out.AllTraces())
	s.stop(t)
	s.stop(t)
}

// A session that is known from log records only: a turn, with its tool and model.
func TestSessionOfLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), func(c *Config) {
			c.Agents.Prices = []PriceConfig{{Model: "claude-*", Input: 1, Output: 10}}
		})
		s.start(t)
		now := time.Now().UnixNano()
		const second = int64(time.Second)
		ld := plog.NewLogs()
		record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt", "prompt": "fix it"})
		record(ld, "agent", now+second, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 100_000, "out": 10_000, "start": now})
		record(ld, "agent", now+2*second, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "start": now + second})
		record(ld, "agent", now+2*second, map[string]any{"session": "s", "what": "denied", "tool": "Rm", "id": "t2"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		assert.Len(t, s.outLogs.AllLogs(), 1, "one request")
		for i, lr := range recordsOf(s.outLogs)[:4] {
			assert.False(t, lr.TraceID().IsEmpty(), "record %d has a trace now", i)
		}
		assert.Empty(t, s.spans()["tool.call"], "they are held")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		spans := s.spans()
		require.Len(t, spans["tool.call"], 2)
		require.Len(t, spans["llm.generate"], 1)
		s.stop(t)
		spans = s.spans()
		require.Len(t, spans["agent.turn"], 1)
		turn, root := spans["agent.turn"][0], spans["workflow.run"][0]
		assert.Equal(t, turn.SpanID(), spans["tool.call"][0].ParentSpanID())
		assert.Equal(t, turn.SpanID(), spans["llm.generate"][0].ParentSpanID())
		assert.Equal(t, root.SpanID(), turn.ParentSpanID())
		model := spans["llm.generate"][0].Attributes().AsRaw()
		assert.InDelta(t, 0.2, model["mcp.llm.cost_usd"], 1e-9)
		assert.EqualValues(t, 100_000, model["gen_ai.usage.input_tokens"])
		assert.EqualValues(t, 50, model["mcp.host.tokens.percent"])
		assert.Equal(t, true, model["mcp.host.tokens.limit_estimated"])
		all := root.Attributes().AsRaw()
		assert.EqualValues(t, 100_000, all["mcp.summary.input_tokens"])
		assert.EqualValues(t, 1, all["mcp.summary.turns"])
		assert.EqualValues(t, 1, all["mcp.summary.refusals"])
		assert.InDelta(t, 0.2, all["mcp.summary.cost_usd"], 1e-9)
		assert.Equal(t, []any{"otlp_logs"}, all["mcp.session.sources"])
		assert.Equal(t, "fix it", all["mcp.session.title"])
		metrics := lastMetrics(s.metrics)
		assert.EqualValues(t, 100_000, metrics["gen_ai.client.inference.usage.input_tokens"].Sum().DataPoints().At(0).IntValue())
		assert.InDelta(t, 0.2, metrics["mcp.llm.cost"].Sum().DataPoints().At(0).DoubleValue(), 1e-9)
		assert.EqualValues(t, 1, metrics["gen_ai.client.inference.duration"].Histogram().DataPoints().At(0).Count())
		assert.EqualValues(t, 1, metrics["gen_ai.execute_tool.duration"].Histogram().DataPoints().At(0).Count(), "what was refused did not run")
		summary := spans["session.summary"][0].Attributes().AsRaw()
		assert.EqualValues(t, 0, summary["mcp.summary.errors"], "a refusal is none")
		assert.EqualValues(t, 2, summary["mcp.summary.tool_calls"])
	})
}

// lastMetrics returns those of the last report, by name.
func lastMetrics(sink *consumertest.MetricsSink) map[string]pmetric.Metric {
	found := map[string]pmetric.Metric{}
	all := sink.AllMetrics()
	for _, m := range all[len(all)-1].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		found[m.Name()] = m
	}
	return found
}

func recordsOf(sink *consumertest.LogsSink) (all []plog.LogRecord) {
	for _, ld := range sink.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
				all = append(all, lr)
			}
		}
	}
	return all
}

// What only wraps calls is the root of an agent's trace, as soon as what is around it is
// dropped, and links to the session's.
func TestRootThatOnlyWrapsLinksToItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		td := ptrace.NewTraces()
		for i, what := range []string{"tool", "wrapper", "internal"} {
			span(td, "agent", byte(i+1), now, now+50, map[string]any{"session": "s", "what": what, "tool": "Bash", "id": "t1"})
			own := td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
			own.SetName(what)
			if what != "internal" {
				own.SetParentSpanID(pcommon.SpanID{byte(i + 2)})
			}
		}
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		spans := s.spans()
		require.Empty(t, spans["internal"])
		wrapper := spans["wrapper"][0]
		assert.True(t, wrapper.ParentSpanID().IsEmpty())
		require.Equal(t, 1, wrapper.Links().Len())
		root := spans["workflow.run"][0]
		assert.Equal(t, root.SpanID(), wrapper.Links().At(0).SpanID())
		assert.Equal(t, root.TraceID(), wrapper.Links().At(0).TraceID())
		assert.Equal(t, 1, spans["tool"][0].Links().Len())
	})
}

// The agent's own spans come behind its log records: they are the only ones, and
// everything counts once.
func TestOwnSpansTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		const second = int64(time.Second)
		ld := plog.NewLogs()
		record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt", "prompt": "go"})
		record(ld, "agent", now+second, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 10, "out": 1, "start": now, "cost": 0.5})
		record(ld, "agent", now+2*second, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "start": now + second, "size": 7})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		time.Sleep(5 * time.Second)
		td := ptrace.NewTraces()
		span(td, "agent", 1, now, now+second, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 10, "out": 1})
		span(td, "agent", 2, now+second, now+2*second, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		span(td, "agent", 3, now, now+2*second, map[string]any{"session": "s", "what": "internal"})
		span(td, "agent", 4, now, now+3*second, map[string]any{"session": "s", "what": "turn"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		assert.Equal(t, 4, td.SpanCount(), "what was handed in is as it was")
		s.stop(t)
		spans := s.spans()
		assert.Empty(t, spans["tool.call"])
		assert.Empty(t, spans["llm.generate"])
		assert.Empty(t, spans["agent.turn"])
		require.Len(t, spans["native"], 3, "but the internal one")
		root := spans["workflow.run"][0]
		for _, own := range spans["native"] {
			require.Equal(t, 1, own.Links().Len())
			assert.Equal(t, root.SpanID(), own.Links().At(0).SpanID())
			_, twice := own.Attributes().Get("mcp.duplicate_of")
			assert.False(t, twice)
		}
		tool := spans["native"][1].Attributes().AsRaw()
		assert.EqualValues(t, 7, tool["mcp.tool.output_bytes"], "which only the record knows")
		assert.InDelta(t, 0.5, spans["native"][0].Attributes().AsRaw()["mcp.llm.cost_usd"], 1e-9)
		all := root.Attributes().AsRaw()
		assert.EqualValues(t, 10, all["mcp.summary.input_tokens"])
		assert.InDelta(t, 0.5, all["mcp.summary.cost_usd"], 1e-9)
		assert.EqualValues(t, 1, all["mcp.summary.turns"])
		assert.Equal(t, []any{"otlp_logs", "otlp_spans"}, all["mcp.session.sources"])
		summary := spans["session.summary"][0].Attributes().AsRaw()
		assert.EqualValues(t, 1, summary["mcp.summary.tool_calls"])
		assert.EqualValues(t, 1, summary["mcp.summary.llm_calls"])
	})
}

// What has left cannot be taken back: the agent's own span of it says so.
func TestOwnSpansThatComeTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		const second = int64(time.Second)
		ld := plog.NewLogs()
		record(ld, "agent", now+second, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "start": now})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		time.Sleep(20 * time.Second)
		td := ptrace.NewTraces()
		span(td, "agent", 2, now, now+second, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["tool.call"], 1)
		require.Len(t, spans["native"], 1)
		assert.Equal(t, spans["tool.call"][0].SpanID().String(), spans["native"][0].Attributes().AsRaw()["mcp.duplicate_of"])
		assert.EqualValues(t, 1, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.tool_calls"])
	})
}

// What telemetry reports of an ended session counts there for as long as its facts are kept.
// Then it is of a new epoch, and says so.
func TestFactsThatAreForgotten(t *testing.T) {
	for wait, late := range map[time.Duration]bool{30 * time.Minute: false, 2 * time.Hour: true} {
		t.Run(wait.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Session.Remember = time.Hour }, newTestDecoder)
				s.start(t)
				s.hooked(t, &event.PromptSubmitted{Prompt: `"go"`})
				ld, other := plog.NewLogs(), plog.NewLogs()
				record(ld, "agent", time.Now().UnixNano(), map[string]any{"session": "s-1", "what": "tool", "tool": "Bash", "id": "t1"})
				time.Sleep(time.Second)
				s.hooked(t, &event.SessionEnded{})
				time.Sleep(wait)
				record(other, "agent", time.Now().UnixNano(), map[string]any{"session": "s-2", "what": "tool", "tool": "Bash", "id": "t2"})
				for _, logs := range []plog.Logs{other, ld, ld} {
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), logs))
					time.Sleep(20 * time.Second)
				}
				s.stop(t)
				marked := 0
				for _, call := range s.spans()["tool.call"] {
					if call.Attributes().AsRaw()["mcp.fact.late"] == true {
						marked++
					}
				}
				assert.Equal(t, map[bool]int{true: 1}[late], marked)
				assert.Len(t, s.spans()["workflow.run"], 2+marked)
			})
		})
	}
}
