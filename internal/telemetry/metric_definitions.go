package telemetry

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// MetricDefinition describes one of the metrics of sessions.
type MetricDefinition struct {
	Name, Unit, Description string
	Kind                    string   // "histogram", "gauge" or "counter", all cumulative
	Attributes              []string // that a point may have
}

// MetricDefinitions returns all metrics of sessions, as docs/metrics.md lists them.
func MetricDefinitions() (all []MetricDefinition) {
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
	inFlightMetric = MetricDefinition{
		mcpconv.MetricInFlight, "{call}", "Calls that wait for their reply now.", "gauge", nil,
	}
	stuckMetric = MetricDefinition{
		mcpconv.MetricStuck, "{call}", "Calls that have not moved for longer than they should.", "gauge", nil,
	}
	sessionsMetric = MetricDefinition{
		mcpconv.MetricSessions, "{session}", "Sessions that are open now, by the phase of their agent host.", "gauge",
		[]string{mcpconv.HostPhase},
	}
	stalledMetric = MetricDefinition{
		mcpconv.MetricStalled, "{session}", "Open sessions whose agent host should be working and is silent.", "gauge", nil,
	}
	utilizationMetric = MetricDefinition{
		mcpconv.MetricUtilization, "1", "Share of the model's context window in use, as reported by agent hosts.", "histogram", nil,
	}
	tokensMetric = MetricDefinition{
		mcpconv.MetricTokens, "{token}", "Tokens spent by all sessions, as reported by agent hosts and Inspectors.", "counter",
		[]string{mcpconv.ClientName},
	}
	costMetric = MetricDefinition{
		mcpconv.MetricCost, "{USD}", "Cost of calls of language models, as agents report it, else an estimate by the price table.", "counter",
		append(slices.Clip(usageAttributes), mcpconv.LLMCostEstimated),
	}
	usageAttributes = []string{
		mcpconv.ClientName, mcpconv.GenAIOperation, mcpconv.GenAIRequestModel, mcpconv.GenAIResponseModel, mcpconv.GenAIProvider,
	}
	tokenAttributes = append(slices.Clip(usageAttributes), mcpconv.GenAITokenModality)
)

// durationMetric is a metric of durations. The first of its labels is the one that a
// point has at least.
type durationMetric struct {
	name, description string
	bounds            []float64 // of buckets, in seconds, as the semantic conventions have them
	labels            []label
}

// Bounds of the buckets of durations in seconds, from the semantic conventions: MCP
// metrics, GenAI metrics, and of these invoke_agent.
var (
	mcpBounds   = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
	genaiBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	agentBounds = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
)

var (
	operationLabels = []label{
		labelMethod, labelOperation, labelTool, labelPrompt, labelResource, labelErrorType, labelStatusCode, labelProtocol, labelRPCVersion, labelTransport, labelNetwork,
	}
	sessionLabels = []label{labelProtocol, labelErrorType, labelTransport, labelNetwork}
)

var durationMetrics = [...]durationMetric{
	clientOperation: {mcpconv.MetricDuration, "Time from an MCP request to its reply.", mcpBounds, append(slices.Clip(operationLabels), labelClient, labelServer, labelSeenBy, labelAddress)},
	serverOperation: {mcpconv.MetricServerDuration, "Time from an MCP request to its reply, as its server sees it.", mcpBounds, operationLabels},
	inference: {
		mcpconv.MetricInference, "Duration of calls of language models, as agents report them.", genaiBounds,
		[]label{labelModel, labelAnswered, labelProvider, labelOperation, labelErrorType},
	},
	executeTool: {
		mcpconv.MetricExecuteTool, "Duration of tool calls, as agents report them.", genaiBounds,
		[]label{labelTool, labelToolType, labelAgent, labelErrorType, labelClient},
	},
	invokeAgent: {
		mcpconv.MetricInvokeAgent, "Duration of the work of sub-agents.", agentBounds,
		[]label{labelAgent, labelModel, labelErrorType},
	},
	clientSession: {mcpconv.MetricClientSession, "Duration of MCP sessions.", mcpBounds, append(slices.Clip(sessionLabels), labelAddress)},
	serverSession: {mcpconv.MetricServerSession, "Duration of MCP sessions, as their server sees them.", mcpBounds, sessionLabels},
}

func (m *durationMetric) definition() *MetricDefinition {
	return &MetricDefinition{m.name, "s", m.description, "histogram", m.keys()}
}

// usageKinds counts the kinds of tokens.
const usageKinds = 5

// usageMetrics are the counters of tokens, by the end of their names.
var usageMetrics = [usageKinds]struct {
	name, description string
	of                func(*modelUsage) int64
}{
	{"input_tokens", "Tokens that models were given, those from and for caches too.", func(u *modelUsage) int64 { return u.Input }},
	{"output_tokens", "Tokens that models wrote, those of reasoning too.", func(u *modelUsage) int64 { return u.Output }},
	{"cache_read.input_tokens", "Tokens that models were given from a cache.", func(u *modelUsage) int64 { return u.CacheRead }},
	{"cache_write.input_tokens", "Tokens that models were given and wrote to a cache.", func(u *modelUsage) int64 { return u.CacheWrite }},
	{"reasoning.output_tokens", "Tokens that models used to reason.", func(u *modelUsage) int64 { return u.Reasoning }},
}

// usageDefinition is the counter of one kind of tokens.
func usageDefinition(kind, description string) *MetricDefinition {
	return &MetricDefinition{mcpconv.MetricInferenceUsage + kind, "{token}", description, "counter", tokenAttributes}
}
