package telemetry

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

func TestMeter(t *testing.T) {
	m := NewMeter(testOptions(), 1, time.Unix(1, 0))
	b := NewBatch(testOptions(), 7)
	b.CallEnded(toolCall())
	b.CallEnded(&session.CallEnd{Time: 5, Call: &store.CallRecord{Method: "x/y", Start: 4}}) // beyond the limit
	b.CallEnded(&session.CallEnd{Time: 5, Call: &store.CallRecord{Method: mcpconv.MethodToolsCall, Source: event.Hook}})
	b.Notice(testNotice("x", event.Notice{Detail: &event.HostStatus{TokensUsed: "1", TokensLimit: "2"}}))
	b.Notice(testNotice("x", event.Notice{Detail: &event.HostReport{Percent: "-1"}}))
	b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: 5}}))
	b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: -5}}))
	m.Add(b.Samples())
	b.Release()

	sizes := store.Sizes{Sessions: 1, Calls: 2, Phases: map[string]int{"": 1}}
	m.Metrics(time.Unix(1, 0), sizes) // the first report of a series is 0
	md, changed := m.Metrics(time.Unix(2, 0), sizes)
	require.True(t, changed)
	byName := map[string]pmetric.Metric{}
	for _, metric := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		byName[metric.Name()] = metric
	}
	durations := byName[mcpconv.MetricDuration].Histogram().DataPoints()
	require.Equal(t, 2, durations.Len())
	require.Equal(t, map[string]any{mcpconv.MethodName: OtherName}, durations.At(0).Attributes().AsRaw())
	require.Equal(t, map[string]any{
		mcpconv.MethodName: "tools/call", mcpconv.GenAIOperation: "execute_tool", mcpconv.GenAIToolName: "echo",
		mcpconv.ClientName: "host", mcpconv.ServerName: "srv", mcpconv.ToolSeenBy: "wire",
	}, durations.At(1).Attributes().AsRaw())
	require.Equal(t, uint64(1), byName[mcpconv.MetricUtilization].Histogram().DataPoints().At(0).Count())
	tokens := byName[mcpconv.MetricTokens].Sum().DataPoints()
	require.Equal(t, 1, tokens.Len())
	require.Equal(t, int64(5), tokens.At(0).IntValue())
	client, _ := testNotice("x", event.Notice{}).Session.Names()
	require.NotEmpty(t, client)
	require.Equal(t, map[string]any{mcpconv.ClientName: client}, tokens.At(0).Attributes().AsRaw())
	require.Equal(t, int64(2), byName[mcpconv.MetricInFlight].Gauge().DataPoints().At(0).IntValue())

	_, changed = m.Metrics(time.Unix(3, 0), sizes)
	require.False(t, changed)
	m.Refused()
	_, changed = m.Metrics(time.Unix(3, 0), sizes)
	require.True(t, changed, "what a pipeline refused is reported again")

	_, changed = m.Metrics(time.Unix(242, 0), sizes)
	require.False(t, changed)
	_, changed = m.Metrics(time.Unix(243, 0), sizes)
	require.True(t, changed, "what does not change must not expire in a back end")
	sizes.Stalled = 1
	md, changed = m.Metrics(time.Unix(244, 0), sizes)
	require.True(t, changed)
	for _, metric := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if metric.Name() == mcpconv.MetricStalled {
			require.Equal(t, int64(1), metric.Gauge().DataPoints().At(0).IntValue())
		}
	}
}

// TestZeroPoints: a series of a counter or histogram is 0 in its first report, so that
// what it begins with is an increase.
func TestZeroPoints(t *testing.T) {
	m := NewMeter(testOptions(), 10, time.Unix(1, 0))
	measure := func() {
		b := NewBatch(testOptions(), 7)
		b.CallEnded(toolCall())
		b.CallEnded(reported(answer, session.Outcome{}))
		b.Notice(testNotice("x", event.Notice{Detail: &event.HostStatus{TokensUsed: "1", TokensLimit: "2"}}))
		b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: 5}}))
		m.Add(b.Samples())
		b.Release()
	}
	at := time.Unix(1, 0)
	values := func() map[string]float64 {
		at = at.Add(time.Second)
		md, changed := m.Metrics(at, store.Sizes{})
		if !changed {
			return nil
		}
		all := map[string]float64{}
		for _, metric := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			switch metric.Type() {
			case pmetric.MetricTypeHistogram:
				p := metric.Histogram().DataPoints().At(0)
				require.Equal(t, pcommon.NewTimestampFromTime(time.Unix(1, 0)), p.StartTimestamp())
				inBuckets := uint64(0)
				for _, n := range p.BucketCounts().All() {
					inBuckets += n
				}
				require.Equal(t, p.Count(), inBuckets)
				require.Equal(t, p.Count() == 0, p.Sum() == 0)
				all[metric.Name()] = float64(p.Count())
			case pmetric.MetricTypeSum:
				p := metric.Sum().DataPoints().At(0)
				require.Equal(t, pcommon.NewTimestampFromTime(time.Unix(1, 0)), p.StartTimestamp())
				all[metric.Name()] = float64(p.IntValue()) + p.DoubleValue()
			}
		}
		return all
	}
	require.Empty(t, values(), "nothing is measured yet")
	measure()
	zero := map[string]float64{
		mcpconv.MetricDuration: 0, mcpconv.MetricInference: 0, mcpconv.MetricUtilization: 0, mcpconv.MetricTokens: 0, mcpconv.MetricCost: 0,
	}
	require.Equal(t, zero, values())
	m.Refused()
	require.Equal(t, zero, values(), "what a pipeline refused was not seen")
	measure()
	require.Equal(t, map[string]float64{
		mcpconv.MetricDuration: 2, mcpconv.MetricInference: 2, mcpconv.MetricUtilization: 2, mcpconv.MetricTokens: 10, mcpconv.MetricCost: 0.5,
	}, values(), "the values follow, also if nothing else has changed")
	require.Nil(t, values())

	again := asked
	again.Usage = store.Usage{Input: 3}
	call := answer
	call.Model = &again
	b := NewBatch(testOptions(), 7)
	b.CallEnded(reported(call, session.Outcome{}))
	m.Add(b.Samples())
	b.Release()
	const input = mcpconv.MetricInferenceUsage + "input_tokens"
	require.Zero(t, values()[input], "each counter of a model begins by itself")
	require.InDelta(t, 3, values()[input], 0)
}

func TestSemanticConventions(t *testing.T) {
	opt := testOptions()
	opt.SemconvNames, opt.ServiceName = true, "mine"
	for name, want := range map[string]string{
		"tool": "tools/call echo", "hook": "execute_tool Bash", "acp tool": "execute_tool read", "resource": "resources/read",
		"permission": "session/request_permission", "prompt": "invoke_agent srv", "other": "x/y",
	} {
		b := NewBatch(opt, 7)
		b.CallEnded(calls[name].end)
		td, spans := b.Traces()
		require.Equal(t, 1, spans)
		rs := td.ResourceSpans().At(0)
		require.Equal(t, map[string]any{mcpconv.ServiceName: "mine"}, rs.Resource().Attributes().AsRaw())
		require.Equal(t, want, rs.ScopeSpans().At(0).Spans().At(0).Name())
	}
}

// TestAllocations keeps what comes most often cheap: beside what pdata itself
// allocates for a span, its attributes and its strings, there is next to nothing.
// The race detector makes pools lose one or two.
func TestAllocations(t *testing.T) {
	heartbeat := testNotice(mcpconv.HostHeartbeat, event.Notice{Params: "{}", Detail: &event.HostStatus{
		Phase: `"working"`, TokensUsed: "1", TokensLimit: "4", ToolCallsTotal: "3", ElapsedSeconds: "9",
	}})
	end := toolCall()
	for name, c := range map[string]struct {
		report func(*Batch)
		logs   bool
		most   float64
	}{
		"heartbeat": {func(b *Batch) { b.Notice(heartbeat) }, false, 28},
		"logged":    {func(b *Batch) { b.Notice(heartbeat) }, true, 54},
		"call":      {func(b *Batch) { b.CallEnded(end) }, false, 31},
	} {
		opt := testOptions()
		opt.Logs = c.logs
		got := testing.AllocsPerRun(100, func() {
			b := NewBatch(opt, 7)
			c.report(b)
			b.Release()
		})
		require.LessOrEqual(t, got, c.most, name)
	}
}

// Totals near the largest number must not turn the sum negative.
func TestTokensSaturate(t *testing.T) {
	m := NewMeter(testOptions(), 1, time.Unix(1, 0))
	for range 3 {
		b := NewBatch(testOptions(), 7)
		b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: math.MaxInt64 - 5}}))
		b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: 7}}))
		m.Add(b.Samples())
		b.Release()
	}
	require.Equal(t, int64(math.MaxInt64), total(m, mcpconv.MetricTokens))
}

// So must not what calls of models are said to have used, nor numbers below zero.
func TestUsageSaturates(t *testing.T) {
	m := NewMeter(testOptions(), 1, time.Unix(1, 0))
	most := store.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Reasoning: math.MaxInt64}
	for _, usage := range []store.Usage{most, {Input: 3, Output: 4, CacheRead: 5, CacheWrite: 6, Reasoning: 7}, {Input: -3, Output: -4, CacheRead: -5}} {
		b := NewBatch(testOptions(), 7)
		b.CallEnded(&session.CallEnd{Time: 5, Call: &store.CallRecord{
			Kind: event.ModelCall, Source: event.AgentLog, Start: 4, Tool: store.Tool{Model: &store.Model{HasUsage: true, Usage: usage}},
		}})
		b.Notice(testNotice("x", event.Notice{Detail: &event.Deltas{Tokens: math.MinInt64}}))
		m.Add(b.Samples())
		b.Release()
	}
	require.Equal(t, int64(math.MaxInt64), total(m, mcpconv.MetricTokens))
	for _, kind := range []string{"input_tokens", "output_tokens", "cache_read.input_tokens", "cache_write.input_tokens", "reasoning.output_tokens"} {
		require.Equal(t, int64(math.MaxInt64), total(m, mcpconv.MetricInferenceUsage+kind), kind)
	}
}

// total is the first point of a counter, -1 if it is not reported.
func total(m *Meter, name string) int64 {
	m.Metrics(time.Unix(2, 0), store.Sizes{})
	m.reported = time.Time{} // or what is the same as before is left out
	md, _ := m.Metrics(time.Unix(2, 0), store.Sizes{})
	for _, metric := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if metric.Name() == name {
			return metric.Sum().DataPoints().At(0).IntValue()
		}
	}
	return -1
}

// A call of a tool of which another layer was measured is not, and what is measured leads to
// its span.
func TestLayers(t *testing.T) {
	wire := operation(tapped, event.ToolCall, "tools/call", "echo", session.Outcome{})
	wire.Call.Trace, wire.Call.Span = identity.TraceID{1}, identity.SpanID{2}
	agent := reported(store.CallRecord{
		Kind: event.ToolCall, Method: "tools/call", Content: store.Content{Target: "mcp__srv__echo"}, Peers: store.Peers{Server: "srv"},
	}, session.Outcome{})
	agent.Measured = true
	metric := measured(t, testOptions(), mcpconv.MetricDuration, func(b *Batch) {
		b.CallEnded(wire)
		b.CallEnded(agent)
	})
	require.Equal(t, 1, metric.Histogram().DataPoints().Len())
	p := metric.Histogram().DataPoints().At(0)
	require.EqualValues(t, 1, p.Count())
	require.Equal(t, pcommon.TraceID{1}, p.Exemplars().At(0).TraceID())
	require.InDelta(t, 2, p.Exemplars().At(0).DoubleValue(), 0)
}
