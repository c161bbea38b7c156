package mcpreceiver

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sumOf is the total of a counter, 0 if it was not reported.
func sumOf(metrics map[string]pmetric.Metric, name string) (sum float64) {
	if _, ok := metrics[name]; !ok {
		return 0
	}
	for _, p := range metrics[name].Sum().DataPoints().All() {
		sum += float64(p.IntValue()) + p.DoubleValue()
	}
	return sum
}

// What is reported of a call of a model after its span has left counts in the metrics as
// it does in the session's totals: once, whichever source knows it.
func TestMetricsOfWhatComesLate(t *testing.T) {
	for name, spanKnows := range map[string]bool{"from a log record": false, "from a span": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t, settings(), nil)
				s.start(t)
				now := time.Now().UnixNano()
				what := func(knows bool) map[string]any {
					a := map[string]any{"session": "s", "what": "model", "id": "m1", "start": now}
					if knows {
						a["in"], a["out"], a["cost"] = 10, 2, 0.5
					}
					return a
				}
				ld, td := plog.NewLogs(), ptrace.NewTraces()
				record(ld, "agent", now+1, what(!spanKnows))
				span(td, "agent", 1, now, now+1, what(spanKnows))
				for range 2 { // what is repeated is no news
					if !spanKnows {
						require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
					}
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
					time.Sleep(20 * time.Second) // nothing is held any more
					synctest.Wait()
					if spanKnows {
						require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
					}
				}
				s.stop(t)
				root := s.spans()["workflow.run"][0].Attributes().AsRaw()
				assert.EqualValues(t, 10, root["mcp.summary.input_tokens"])
				assert.InDelta(t, 0.5, root["mcp.summary.cost_usd"], 1e-9)
				metrics := lastMetrics(s.metrics)
				assert.InDelta(t, 10, sumOf(metrics, "gen_ai.client.inference.usage.input_tokens"), 0)
				assert.InDelta(t, 2, sumOf(metrics, "gen_ai.client.inference.usage.output_tokens"), 0)
				assert.InDelta(t, 12, sumOf(metrics, "mcp.session.tokens"), 0)
				assert.InDelta(t, 0.5, sumOf(metrics, "mcp.llm.cost"), 1e-9)
				assert.EqualValues(t, 1, metrics["gen_ai.client.inference.duration"].Histogram().DataPoints().At(0).Count())
			})
		})
	}
}

// Spans of some agents leave out what a call used: then what comes behind them says how full
// the context is.
func TestContextOfWhatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		ld, td := plog.NewLogs(), ptrace.NewTraces()
		span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "model", "id": "m1"})
		record(ld, "agent", now+1, map[string]any{"session": "s", "what": "model", "id": "m1", "start": now, "in": 50_000, "out": 2})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.stop(t)
		require.Len(t, s.spans()["call.amended"], 1)
		amended := s.spans()["call.amended"][0].Attributes().AsRaw()
		assert.EqualValues(t, 50_000, amended["mcp.host.tokens.used"])
		assert.EqualValues(t, 200_000, amended["mcp.host.tokens.limit"])
		assert.EqualValues(t, 25, amended["mcp.host.tokens.percent"])
		assert.Equal(t, true, amended["mcp.host.tokens.limit_estimated"])
		assert.EqualValues(t, 1, lastMetrics(s.metrics)["mcp.host.context.utilization"].Histogram().DataPoints().At(0).Count())
	})
}

// What a call cost that its agent reports counts, however late it comes; else what the
// prices say, if the tokens come late.
func TestCostOfWhatComesLate(t *testing.T) {
	for name, c := range map[string]struct {
		scope      string
		span, logs map[string]any
		want       float64
	}{
		"told by the log record": {
			"com.anthropic.claude_code.tracing",
			map[string]any{"session.id": "s", "request_id": "req_1", "model": "claude-test", "input_tokens": 100_000, "output_tokens": 10_000, "success": "true"},
			map[string]any{
				"session.id": "s", "event.name": "api_request", "request_id": "req_1", "model": "claude-test", "input_tokens": 100_000,
				"output_tokens": 10_000, "cost_usd": 0.5, "query_source": "repl_main_thread",
			},
			0.5,
		},
		"by the tokens of the log record": {
			"gemini-cli",
			map[string]any{"gen_ai.conversation.id": "s", "gen_ai.request.model": "claude-test"},
			map[string]any{
				"session.id": "s", "event.name": "gemini_cli.api_response", "model": "claude-test", "input_token_count": 100_000,
				"output_token_count": 10_000, "role": "main",
			},
			0.2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), func(c *Config) {
					c.Agents.Prices = []PriceConfig{{Model: "claude-*", Input: 1, Output: 10}}
				}, newDecoder)
				s.start(t)
				now := time.Now().UnixNano()
				td, first, ld := ptrace.NewTraces(), plog.NewLogs(), plog.NewLogs()
				record(first, c.scope, now, map[string]any{"session.id": "s", "event.name": "user_prompt", "prompt": "go"})
				span(td, c.scope, 1, now, now+1, c.span)
				td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName(
					map[bool]string{true: "claude_code.llm_request", false: "llm_call"}[c.want == 0.5])
				record(ld, c.scope, now+1, c.logs)
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), first))
				for range 2 { // what is repeated is no news
					require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
				}
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				s.stop(t)
				root := s.spans()["workflow.run"][0].Attributes().AsRaw()
				assert.EqualValues(t, 100_000, root["mcp.summary.input_tokens"])
				assert.InDelta(t, c.want, root["mcp.summary.cost_usd"], 1e-9)
				assert.InDelta(t, c.want, sumOf(lastMetrics(s.metrics), "mcp.llm.cost"), 1e-9)
			})
		})
	}
}

// An estimate that left goes when the cost itself is reported. A counter stays where the
// estimate was higher.
func TestReportedCostReplacesTheEstimate(t *testing.T) {
	for reported, counted := range map[float64]float64{0.5: 0.5, 0.125: 0.2} {
		t.Run(strconv.FormatFloat(reported, 'g', -1, 64), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), func(c *Config) {
					c.Agents.Prices = []PriceConfig{{Model: "claude-*", Input: 1, Output: 10}}
				}, newTestDecoder)
				s.start(t)
				now := time.Now().UnixNano()
				td, ld := ptrace.NewTraces(), plog.NewLogs()
				used := map[string]any{"session": "s", "what": "model", "id": "m1", "in": 100_000, "out": 10_000}
				span(td, "agent", 1, now, now+1, used)
				require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
				used["cost"] = reported
				record(ld, "agent", now+1, used)
				for range 2 { // what is repeated is no news
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				}
				s.stop(t)
				spans := s.spans()
				root := spans["workflow.run"][0].Attributes().AsRaw()
				assert.InDelta(t, reported, root["mcp.summary.cost_usd"], 1e-9)
				assert.NotContains(t, root, "mcp.summary.cost_estimated_usd")
				native := spans["native"][0].Attributes().AsRaw()
				assert.InDelta(t, 0.2, native["mcp.llm.cost_usd"], 1e-9)
				assert.Equal(t, true, native["mcp.llm.cost_estimated"])
				require.Len(t, spans["call.amended"], 1)
				assert.InDelta(t, reported-0.2, spans["call.amended"][0].Attributes().AsRaw()["mcp.llm.cost_usd"], 1e-9)
				assert.InDelta(t, counted, sumOf(lastMetrics(s.metrics), "mcp.llm.cost"), 1e-9)
			})
		})
	}
}

// An agent's cost that is estimated says so: on the call, on its turn, on the root, in the
// state record and in the metric. A model without a price has no cost.
func TestEstimatedCostSaysSo(t *testing.T) {
	for model, want := range map[string]float64{"gpt-5": 0.008*1.25 + 0.012*0.125 + 0.005*10, "unknown": 0} {
		t.Run(model, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), nil, newDecoder)
				s.start(t)
				now, ld := time.Now().UnixNano(), plog.NewLogs()
				record(ld, "gemini-cli", now, map[string]any{"session.id": "s", "event.name": "gemini_cli.user_prompt", "prompt": "go"})
				record(ld, "gemini-cli", now+1, map[string]any{
					"session.id": "s", "event.name": "gemini_cli.api_response", "model": model, "input_token_count": 20_000,
					"cached_content_token_count": 20_000 - 8000, "output_token_count": 5_000, "role": "main",
				})
				require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				s.stop(t)
				spans, metrics := s.spans(), lastMetrics(s.metrics)
				root, call := spans["workflow.run"][0].Attributes().AsRaw(), spans["llm.generate"][0].Attributes().AsRaw()
				if want == 0 {
					assert.NotContains(t, root, "mcp.summary.cost_usd")
					assert.NotContains(t, call, "mcp.llm.cost_usd")
					assert.NotContains(t, metrics, "mcp.llm.cost")
					return
				}
				assert.InDelta(t, want, call["mcp.llm.cost_usd"], 1e-9)
				assert.Equal(t, true, call["mcp.llm.cost_estimated"])
				assert.InDelta(t, want, root["mcp.summary.cost_usd"], 1e-9)
				assert.InDelta(t, want, root["mcp.summary.cost_estimated_usd"], 1e-9)
				assert.Contains(t, root["mcp.summary.cost_source"], "@pydantic/genai-prices")
				turn := spans["agent.turn"][0].Attributes().AsRaw()
				assert.InDelta(t, want, turn["mcp.turn.cost_usd"], 1e-9)
				assert.InDelta(t, want, turn["mcp.turn.cost_estimated_usd"], 1e-9)
				point := metrics["mcp.llm.cost"].Sum().DataPoints().At(0)
				assert.InDelta(t, want, point.DoubleValue(), 1e-9)
				assert.Equal(t, true, point.Attributes().AsRaw()["mcp.llm.cost_estimated"])
			})
		})
	}
}

// Codex adds up what a turn used. Where no calls of models are reported, that counts, in
// the metrics too, each turn by the prices if no log record says what it cost.
func TestUsageOfTurnsAlone(t *testing.T) {
	for name, want := range map[string]float64{"by the prices": 0.2, "told by a log record": 0.8} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetupOf(t, settings(), func(c *Config) {
					c.Agents.Prices = []PriceConfig{{Model: "gpt-*", Input: 1, Output: 10}}
				}, newDecoder)
				s.start(t)
				now := time.Now().UnixNano()
				td, ld := ptrace.NewTraces(), plog.NewLogs()
				for i := range byte(2) {
					span(td, "codex_otel", i+1, now+int64(i)*5e9, now+int64(i)*5e9+1, map[string]any{
						"thread.id": codexParent, "turn.id": string("12"[i]), "model": "gpt-test",
						"codex.turn.token_usage.input_tokens": 50_000, "codex.turn.token_usage.output_tokens": 5_000,
					})
					td.ResourceSpans().At(int(i)).ScopeSpans().At(0).Spans().At(0).SetName("session_task.turn")
				}
				if want == 0.8 {
					record(ld, "codex_otel", now+6e9, map[string]any{
						"event.name": "codex.turn_cost", "conversation.id": codexParent, "turn.id": "2", "usage.estimated_usd": 0.7,
					})
				}
				for range 2 { // what is repeated is no news
					require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				}
				s.stop(t)
				root := s.spans()["workflow.run"][0].Attributes().AsRaw()
				assert.EqualValues(t, 100_000, root["mcp.summary.input_tokens"])
				assert.InDelta(t, want, root["mcp.summary.cost_usd"], 1e-9)
				metrics := lastMetrics(s.metrics)
				assert.InDelta(t, 100_000, sumOf(metrics, "gen_ai.client.inference.usage.input_tokens"), 0)
				assert.InDelta(t, want, sumOf(metrics, "mcp.llm.cost"), 1e-9)
			})
		})
	}
}

// What a turn used counts in one trace, also if its session goes on in a new one.
func TestUsageOfTurnsInSeveralTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), func(c *Config) {
			c.Session.MaxSpans = 10
			c.Agents.Prices = []PriceConfig{{Model: "gpt-*", Input: 1, Output: 10}}
		}, newDecoder)
		s.start(t)
		now, td := time.Now().UnixNano(), ptrace.NewTraces()
		for i := range byte(30) {
			span(td, "codex_otel", i+1, now+int64(i)*5e9, now+int64(i)*5e9+1, map[string]any{
				"thread.id": codexParent, "turn.id": strconv.Itoa(int(i)), "model": "gpt-test",
				"codex.turn.token_usage.input_tokens": 50_000, "codex.turn.token_usage.output_tokens": 5_000,
			})
			td.ResourceSpans().At(int(i)).ScopeSpans().At(0).Spans().At(0).SetName("session_task.turn")
		}
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		roots := s.spans()["workflow.run"]
		assert.Greater(t, len(roots), 2)
		tokens, cost := int64(0), 0.0
		for _, root := range roots {
			all := root.Attributes().AsRaw()
			tokens += all["mcp.summary.input_tokens"].(int64)
			cost += all["mcp.summary.cost_usd"].(float64)
		}
		assert.EqualValues(t, 1_500_000, tokens)
		assert.InDelta(t, 3, cost, 1e-9)
		metrics := lastMetrics(s.metrics)
		assert.InDelta(t, 1_500_000, sumOf(metrics, "gen_ai.client.inference.usage.input_tokens"), 0)
		assert.InDelta(t, 3, sumOf(metrics, "mcp.llm.cost"), 1e-9)
	})
}
