package metrics

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Definition describes one of the metrics of sessions.
type Definition struct {
	Name, Unit, Description string
	Kind                    string   // "histogram", "gauge" or "counter", all cumulative
	Attributes              []string // that a point may have
}

// Definitions are all metrics of sessions, as docs/metrics.md lists them.
func Definitions() (all []Definition) {
	all = append(all, inFlightMetric, stuckMetric, sessionsMetric, stalledMetric, utilizationMetric, tokensMetric, costMetric)
	for _, m := range usageMetrics {
		all = append(all, *usageDefinition(m.name, m.description))
	}
	for i := range durationMetrics {
		all = append(all, *durationMetrics[i].definition())
	}
	return all
}

var (
	inFlightMetric = Definition{
		mcpconv.MetricInFlight, "{call}", "Calls that wait for their reply now.", "gauge", nil,
	}
	stuckMetric = Definition{
		mcpconv.MetricStuck, "{call}", "Calls that have not moved for longer than they should.", "gauge", nil,
	}
	sessionsMetric = Definition{
		mcpconv.MetricSessions, "{session}", "Sessions that are open now, by the phase of their agent host.", "gauge",
		[]string{mcpconv.HostPhase},
	}
	stalledMetric = Definition{
		mcpconv.MetricStalled, "{session}", "Open sessions whose agent host should be working and is silent.", "gauge", nil,
	}
	utilizationMetric = Definition{
		mcpconv.MetricUtilization, "1", "Share of the model's context window in use, as agent hosts tell it.", "histogram", nil,
	}
	tokensMetric = Definition{
		mcpconv.MetricTokens, "{token}", "Tokens spent by all sessions, as agent hosts and Inspectors tell it.", "counter",
		[]string{mcpconv.ClientName},
	}
	costMetric = Definition{
		mcpconv.MetricCost, "{USD}", "Cost of calls of language models, as agents report it or by the configured prices.", "counter",
		usageAttributes,
	}
	usageAttributes = []string{mcpconv.ClientName, mcpconv.GenAIRequestModel, mcpconv.GenAIProvider}
)

// durationMetric is a metric of durations, with the keys of its labels; "" is a
// label that it has not.
type durationMetric struct {
	name, description                     string
	method, tool, errors, model, provider string
}

var durationMetrics = [...]durationMetric{
	clientOperation: {
		mcpconv.MetricDuration, "Time from an MCP request to its reply.",
		mcpconv.MethodName, mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	serverOperation: {
		mcpconv.MetricServerDuration, "Time from an MCP request to its reply, as its server sees it.",
		mcpconv.MethodName, mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	inference: {
		mcpconv.MetricInference, "Duration of calls of language models, as agents report them.",
		mcpconv.GenAIOperation, "", mcpconv.ErrorType, mcpconv.GenAIRequestModel, mcpconv.GenAIProvider,
	},
	executeTool: {
		mcpconv.MetricExecuteTool, "Duration of tool calls, as agents report them.",
		"", mcpconv.GenAIToolName, mcpconv.ErrorType, "", "",
	},
	invokeAgent: {
		mcpconv.MetricInvokeAgent, "Duration of the work of sub-agents.",
		"", mcpconv.GenAIAgentName, mcpconv.ErrorType, mcpconv.GenAIRequestModel, "",
	},
	clientSession: {mcpconv.MetricClientSession, "Duration of MCP sessions.", mcpconv.ProtocolVersion, "", mcpconv.ErrorType, "", ""},
	serverSession: {
		mcpconv.MetricServerSession, "Duration of MCP sessions, as their server sees them.",
		mcpconv.ProtocolVersion, "", mcpconv.ErrorType, "", "",
	},
}

func (m *durationMetric) definition() *Definition {
	attributes := []string{m.method, m.tool, m.errors, m.model, m.provider}
	attributes = slices.DeleteFunc(attributes, func(key string) bool { return key == "" })
	return &Definition{m.name, "s", m.description, "histogram", attributes}
}

// usageMetrics are the counters of tokens, by the end of their names.
var usageMetrics = []struct {
	name, description string
	of                func(*used) int64
}{
	{"input_tokens", "Tokens that models were given, those from and for caches too.", func(u *used) int64 { return u.Input }},
	{"output_tokens", "Tokens that models wrote, those of reasoning too.", func(u *used) int64 { return u.Output }},
	{"cache_read.input_tokens", "Tokens that models were given from a cache.", func(u *used) int64 { return u.CacheRead }},
	{"cache_write.input_tokens", "Tokens that models were given and wrote to a cache.", func(u *used) int64 { return u.CacheWrite }},
	{"reasoning.output_tokens", "Tokens that models used to reason.", func(u *used) int64 { return u.Reasoning }},
}

// usageDefinition is the counter of one kind of tokens.
func usageDefinition(kind, description string) *Definition {
	return &Definition{mcpconv.MetricInferenceUsage + kind, "{token}", description, "counter", usageAttributes}
}
