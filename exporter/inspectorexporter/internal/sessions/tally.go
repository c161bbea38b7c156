package sessions

import (
	"cmp"
	"hash/maphash"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// tally is what a session's totals are made of. Each summary tells of one epoch,
// the row of all.
type tally struct {
	before Totals              // of the epochs that ended
	seen   Totals              // spans of this epoch
	told   Totals              // of this epoch, by its summary or as differences
	hosted int64               // the host's own total of its tool calls, which counts instead
	calls  recent.Ring[uint64] // hashes of the ids of calls that were counted
	sides  recent.Ring[pcommon.SpanID]
}

// maxCounted is how many calls of a session are remembered to have been counted.
const maxCounted = 512

var callSeed = maphash.MakeSeed()

// isNew reports whether the call was not counted yet: an agent, its hooks and the
// wire may all tell of it.
func (t *tally) isNew(m pcommon.Map) bool {
	if facts.Str(m, mcpconv.DuplicateOf) != "" {
		return false
	}
	id := cmp.Or(facts.Str(m, mcpconv.GenAIToolCallID), facts.Str(m, mcpconv.ToolCallID), facts.Str(m, mcpconv.GenAIResponseID))
	if id == "" {
		return true
	}
	hash := maphash.String(callSeed, id)
	if slices.Contains(t.calls.Items, hash) {
		return false
	}
	t.calls.Add(hash, maxCounted)
	return true
}

// maxSides is how many calls are remembered to tell when their other side comes.
const maxSides = 128

// otherSide reports whether the span is the other side of a call that was counted: a
// server's span, whose parent is the client's, or that client's if it comes later.
func (t *tally) otherSide(span ptrace.Span) bool {
	id := span.SpanID()
	if facts.Served(span) {
		id = span.ParentSpanID()
	}
	if slices.Contains(t.sides.Items, id) {
		return true
	}
	t.sides.Add(id, maxSides)
	return false
}

// takeDeltas takes what a heartbeat adds, and the total of a host; it reports
// whether there is any.
func (t *tally) takeDeltas(m pcommon.Map) bool {
	llm, okLLM := facts.Amount(m, mcpconv.HeartbeatLLM)
	tools, okTools := facts.Amount(m, mcpconv.HeartbeatTools)
	total, okTotal := facts.Amount(m, mcpconv.HostToolCalls)
	if okLLM {
		t.told.LLMCalls = figures.Plus(t.told.LLMCalls, llm)
	}
	if okTools {
		t.told.ToolCalls = figures.Plus(t.told.ToolCalls, tools)
	}
	if okTotal {
		t.hosted = total
	}
	return okLLM || okTools || okTotal
}

// takeSummary takes the sums that an epoch's summary tells.
func (t *tally) takeSummary(m pcommon.Map) {
	var u Usage
	for key, to := range map[string]*int64{
		mcpconv.SummaryTools: &t.told.ToolCalls, mcpconv.SummaryLLM: &t.told.LLMCalls, mcpconv.SummaryAgents: &t.told.Agents,
		mcpconv.SummaryTurns: &t.told.Turns, mcpconv.SummaryRefusals: &t.told.Refusals,
		mcpconv.SummaryInput: &u.Input, mcpconv.SummaryOutput: &u.Output, mcpconv.SummaryCached: &u.CacheRead,
		mcpconv.SummaryWritten: &u.CacheWrite, mcpconv.SummaryReasoning: &u.Reasoning,
	} {
		if n, ok := facts.Amount(m, key); ok {
			*to = n
		}
	}
	u.CostUSD, _ = facts.Cost(m, mcpconv.SummaryCost)
	t.told.Usage = &u
}

// next begins another epoch.
func (t *tally) next(soFar *Totals) {
	t.before, t.seen, t.told, t.hosted = *soFar, Totals{}, Totals{}, 0
}

// sum writes the totals. A summary knows of calls that no span came of, and spans
// are seen of calls that it does not count.
func (t *tally) sum(to *Totals) {
	to.ToolCalls = figures.Plus(t.before.ToolCalls, max(t.seen.ToolCalls, t.told.ToolCalls))
	if t.hosted > 0 {
		to.ToolCalls = t.hosted
	}
	to.LLMCalls = figures.Plus(t.before.LLMCalls, max(t.seen.LLMCalls, t.told.LLMCalls))
	to.Agents = figures.Plus(t.before.Agents, max(t.seen.Agents, t.told.Agents))
	to.Turns = figures.Plus(t.before.Turns, cmp.Or(t.told.Turns, t.seen.Turns))
	to.Refusals = figures.Plus(t.before.Refusals, cmp.Or(t.told.Refusals, t.seen.Refusals))
	if u := t.before.Usage.Plus(t.told.Usage.Or(t.seen.Usage)); u != (Usage{}) && (to.Usage == nil || *to.Usage != u) {
		to.Usage = &u
	}
}
