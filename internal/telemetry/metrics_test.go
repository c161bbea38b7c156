package telemetry

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Buckets as the semantic conventions have them, written out: seconds.
var (
	mcpBuckets   = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
	genaiBuckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	agentBuckets = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
)

// point is one point of a metric.
type point struct {
	attributes map[string]any
	value      float64 // of a histogram the sum
	bucket     int     // of a histogram: the only one that has something
}

const second = int64(time.Second)

// tapped is a session whose server was called over HTTP, inbound one that is a server's.
var (
	tapped = &store.SessionRecord{Parties: store.Parties{
		Client: "claude-code", Info: &store.PeerInfo{
			Protocol: "2025-11-25", Wire: store.Wire{Carrier: "http", Server: "https://example.com"},
		},
	}}
	inbound = &store.SessionRecord{Parties: tapped.Parties, Engine: "inbound", Inspector: true}
	agents  = &store.SessionRecord{
		Parties: store.Parties{Client: "claude-code"},
		Host:    store.Host{Agents: store.List[store.Agent]{{ID: "a1", Type: "Explore"}}},
	}
)

// operation is a call of a server that took two seconds.
func operation(s *store.SessionRecord, kind event.CallKind, method, target string, o session.Outcome) *session.CallEnd {
	return &session.CallEnd{Session: s, Time: 3 * second, Outcome: o, Call: &store.CallRecord{
		Kind: kind, Method: method, Version: "2.0", Start: second, Content: store.Content{Target: target},
		Peers: store.Peers{Transport: s.PeerInfo().Wire.Carrier, ServerURI: s.PeerInfo().Wire.Server},
	}}
}

// reported is a call of an agent that took two seconds.
func reported(c store.CallRecord, o session.Outcome) *session.CallEnd {
	c.Source, c.Start, c.Client = event.AgentLog, second, "claude-code"
	return &session.CallEnd{Session: agents, Time: 3 * second, Outcome: o, Call: &c}
}

var (
	coded  = session.Outcome{Failed: true, Type: "-32602", RPCCode: "-32602"}
	wrong  = session.Outcome{Failed: true, Type: mcpconv.TypeToolError}
	late   = session.Outcome{Failed: true, Type: mcpconv.TypeTimeout}
	asked  = store.Model{Answered: "opus-4-1-20260101", Provider: "anthropic", HasUsage: true, HasCost: true, Cost: 0.25}
	answer = store.CallRecord{Kind: event.ModelCall, Content: store.Content{Target: "opus"}, Tool: store.Tool{Model: &asked}}
)

// wire are the attributes of all that was said over HTTP, and more.
func wire(more map[string]any) map[string]any {
	maps.Copy(more, map[string]any{
		"network.transport": "tcp", "network.protocol.name": "http", "mcp.protocol.version": "2025-11-25",
		"server.address": "example.com", "server.port": int64(443),
	})
	return more
}

// sent is the same as its client sees it.
func sent(more map[string]any) map[string]any {
	more = wire(more)
	more["mcp.client.name"] = "claude-code"
	return more
}

// received is the same as the server sees it.
func received(more map[string]any) map[string]any {
	more = wire(more)
	delete(more, "server.address")
	delete(more, "server.port")
	return more
}

var ofModels = map[string]any{
	"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "opus", "gen_ai.response.model": "opus-4-1-20260101",
}

// with is a copy with more.
func with(all map[string]any, more ...string) map[string]any {
	next := maps.Clone(all)
	for i := 0; i < len(more); i += 2 {
		next[more[i]] = more[i+1]
	}
	return next
}

// TestOperationMetrics: what each metric of durations, tokens and cost has, of which
// the semantic conventions say that it must or should, and no more.
func TestOperationMetrics(t *testing.T) {
	opted := testOptions()
	opted.ResourceURIs = true
	tool := func(target, server, agent string) store.CallRecord {
		return store.CallRecord{Kind: event.ToolCall, Method: "tools/call", Content: store.Content{Target: target}, Peers: store.Peers{Server: server}, SubAgent: agent}
	}
	for name, c := range map[string]struct {
		opt    *Options
		unit   string
		bounds []float64 // nil for a counter
		events func(*Batch)
		want   []point
	}{
		"mcp.client.operation.duration": {nil, "s", mcpBuckets, func(b *Batch) {
			b.CallEnded(operation(tapped, event.ToolCall, "tools/call", "echo", wrong))
			b.CallEnded(operation(tapped, event.PromptGet, "prompts/get", "hello", coded))
			b.CallEnded(operation(tapped, event.ResourceRead, "resources/read", "file:///a", session.Outcome{}))
			old := operation(&store.SessionRecord{Parties: store.Parties{Info: &store.PeerInfo{Wire: store.Wire{Carrier: "stdio"}}}}, event.OtherCall, "x/y", "", late)
			old.Call.Version = "1.0"
			b.CallEnded(old)
			b.CallEnded(reported(tool("mcp__srv__echo", "srv", ""), session.Outcome{}))
		}, []point{
			{sent(map[string]any{
				"mcp.method.name": "prompts/get", "gen_ai.prompt.name": "hello", "error.type": "-32602", "rpc.response.status_code": "-32602",
			}), 2, 7},
			{sent(map[string]any{"mcp.method.name": "resources/read"}), 2, 7},
			{map[string]any{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo", "mcp.client.name": "claude-code", "mcp.server.name": "srv", "mcp.tool.seen_by": "agent"}, 2, 7},
			{sent(map[string]any{
				"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo", "error.type": "tool_error", "mcp.tool.seen_by": "wire",
			}), 2, 7},
			{map[string]any{"mcp.method.name": "x/y", "network.transport": "pipe", "jsonrpc.protocol.version": "1.0", "error.type": "timeout"}, 2, 7},
		}},
		"mcp.server.operation.duration": {nil, "s", mcpBuckets, func(b *Batch) {
			b.CallEnded(operation(inbound, event.ToolCall, "tools/call", "echo", coded)) // the client's fault
			b.CallEnded(operation(inbound, event.PromptGet, "prompts/get", "hello", session.Outcome{Failed: true, Type: "-32603", RPCCode: "-32603"}))
		}, []point{
			{received(map[string]any{
				"mcp.method.name": "prompts/get", "gen_ai.prompt.name": "hello", "error.type": "-32603", "rpc.response.status_code": "-32603",
			}), 2, 7},
			{received(map[string]any{
				"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo", "rpc.response.status_code": "-32602",
			}), 2, 7},
		}},
		"mcp.client.session.duration": {nil, "s", mcpBuckets, func(b *Batch) {
			b.SessionEnded(&session.SessionEnd{Session: tapped, Time: 40 * second})
			b.SessionEnded(&session.SessionEnd{Session: agents, Time: 40 * second, Reason: mcpconv.EndStalled})
		}, []point{
			{wire(map[string]any{}), 40, 11},
			{map[string]any{"error.type": "timeout"}, 40, 11},
		}},
		"mcp.server.session.duration": {nil, "s", mcpBuckets, func(b *Batch) {
			b.SessionEnded(&session.SessionEnd{Session: inbound, Time: 40 * second})
		}, []point{{received(map[string]any{}), 40, 11}}},
		"gen_ai.execute_tool.duration": {nil, "s", genaiBuckets, func(b *Batch) {
			b.CallEnded(reported(tool("Bash", "", "a1"), wrong))
			b.CallEnded(reported(tool("mcp__srv__echo", "srv", ""), session.Outcome{}))
			b.CallEnded(reported(tool("Read", "", "unknown"), session.Outcome{}))
		}, []point{
			{map[string]any{"gen_ai.tool.name": "Bash", "gen_ai.tool.type": "function", "gen_ai.agent.name": "Explore", "error.type": "tool_error", "mcp.client.name": "claude-code"}, 2, 8},
			{map[string]any{"gen_ai.tool.name": "Read", "gen_ai.tool.type": "function", "mcp.client.name": "claude-code"}, 2, 8},
			{map[string]any{"gen_ai.tool.name": "echo", "gen_ai.tool.type": "extension", "gen_ai.agent.name": "claude-code", "mcp.client.name": "claude-code"}, 2, 8},
		}},
		"gen_ai.invoke_agent.duration": {nil, "s", agentBuckets, func(b *Batch) {
			b.AgentEnded(&session.AgentEnd{Session: agents, Agent: &store.Agent{ID: "a1", Type: "Explore", Model: "haiku"}, Time: 2 * second, Outcome: late})
			b.AgentEnded(&session.AgentEnd{Session: agents, Agent: &store.Agent{ID: "a2"}, Time: 2 * second})
		}, []point{
			{map[string]any{}, 2, 5},
			{map[string]any{"gen_ai.agent.name": "Explore", "gen_ai.request.model": "haiku", "error.type": "timeout"}, 2, 5},
		}},
		"gen_ai.client.inference.duration": {nil, "s", genaiBuckets, func(b *Batch) {
			b.CallEnded(reported(answer, session.Outcome{Failed: true, Type: "overloaded_error"}))
			b.CallEnded(reported(store.CallRecord{Kind: event.ModelCall, Tool: store.Tool{Model: &store.Model{Answered: "gpt-5"}}}, session.Outcome{}))
		}, []point{
			{map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5", "gen_ai.response.model": "gpt-5"}, 2, 8},
			{with(ofModels, "error.type", "overloaded_error"), 2, 8},
		}},
		"mcp.llm.cost": {nil, "{USD}", nil, func(b *Batch) {
			b.CallEnded(reported(answer, session.Outcome{}))
			b.CallEnded(reported(answer, wrong))
		}, []point{{with(ofModels, "mcp.client.name", "claude-code"), 0.5, 0}}},
		"opted in: mcp.client.operation.duration": {opted, "s", mcpBuckets, func(b *Batch) {
			b.CallEnded(operation(tapped, event.ResourceRead, "resources/read", "file:///a", session.Outcome{}))
			b.CallEnded(operation(tapped, event.OtherCall, "resources/subscribe", "file:///a", session.Outcome{}))
			b.CallEnded(operation(tapped, event.LogLevelSetting, "logging/setLevel", "debug", session.Outcome{}))
		}, []point{
			{sent(map[string]any{"mcp.method.name": "logging/setLevel"}), 2, 7},
			{sent(map[string]any{"mcp.method.name": "resources/read", "mcp.resource.uri": "file:///a"}), 2, 7},
			{sent(map[string]any{"mcp.method.name": "resources/subscribe", "mcp.resource.uri": "file:///a"}), 2, 7},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			opt := c.opt
			if opt == nil {
				opt = testOptions()
			}
			metric := measured(t, opt, strings.TrimPrefix(name, "opted in: "), c.events)
			assert.Equal(t, c.unit, metric.Unit())
			assert.Equal(t, c.want, points(t, metric, c.bounds))
		})
	}
}

// TestTokenMetrics: the counters of tokens differ in what they count only.
func TestTokenMetrics(t *testing.T) {
	asked := asked
	asked.Usage = store.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}
	call := answer
	call.Model = &asked
	for kind, want := range map[string]float64{
		"input_tokens": 2, "output_tokens": 4, "cache_read.input_tokens": 6, "cache_write.input_tokens": 8, "reasoning.output_tokens": 10,
	} {
		metric := measured(t, testOptions(), "gen_ai.client.inference.usage."+kind, func(b *Batch) {
			b.CallEnded(reported(call, session.Outcome{}))
			b.CallEnded(reported(call, wrong))
		})
		assert.Equal(t, "{token}", metric.Unit())
		assert.Equal(t, []point{{with(ofModels, "mcp.client.name", "claude-code", "gen_ai.token.modality", "unknown"), want, 0}}, points(t, metric, nil), kind)
	}
}

// measured is the metric of that name after the events.
func measured(t *testing.T, opt *Options, name string, events func(*Batch)) pmetric.Metric {
	t.Helper()
	m, b := NewMeter(opt, 10, time.Unix(1, 0)), NewBatch(opt, 7)
	events(b)
	m.Add(b.Samples())
	b.Release()
	m.Metrics(time.Unix(1, 0), store.Sizes{}) // the first report of a series is 0
	md, _ := m.Metrics(time.Unix(2, 0), store.Sizes{})
	for _, metric := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if metric.Name() == name {
			return metric
		}
	}
	require.Fail(t, "not reported", name)
	return pmetric.Metric{}
}

// points are those of a counter, or of a histogram with those bounds.
func points(t *testing.T, metric pmetric.Metric, bounds []float64) (all []point) {
	t.Helper()
	if bounds == nil {
		require.True(t, metric.Sum().IsMonotonic())
		for _, p := range metric.Sum().DataPoints().All() {
			value := p.DoubleValue() + float64(p.IntValue())
			all = append(all, point{p.Attributes().AsRaw(), value, 0})
		}
		return all
	}
	require.Equal(t, pmetric.AggregationTemporalityCumulative, metric.Histogram().AggregationTemporality())
	for _, p := range metric.Histogram().DataPoints().All() {
		require.Equal(t, bounds, p.ExplicitBounds().AsRaw())
		require.EqualValues(t, 1, p.Count())
		require.Equal(t, pcommon.NewTimestampFromTime(time.Unix(1, 0)), p.StartTimestamp())
		bucket := -1
		for i, n := range p.BucketCounts().All() {
			if n > 0 {
				bucket = i
			}
		}
		all = append(all, point{p.Attributes().AsRaw(), p.Sum(), bucket})
	}
	return all
}
