// Package tally counts what a session has done, each call once, whatever reported it.
package tally

import (
	"cmp"
	"hash/maphash"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/failures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Tally is what a session's totals are made of. Each summary tells of one epoch,
// the row of all. It is not safe for concurrent use.
type Tally struct {
	before figures.Totals      // of the epochs that ended
	Seen   figures.Totals      // spans of this epoch
	told   figures.Totals      // of this epoch, by its summary or as differences
	hosted int64               // the host's own total of its tool calls, which counts instead
	ids    recent.Ring[uint64] // hashes of the ids of calls that were counted
	sides  recent.Ring[pcommon.SpanID]
	agents recent.Ring[pcommon.SpanID] // sub-agents that were counted
	failed failures.Failures
	nested recent.Ring[nested]
}

// From is the tally of a session that did so much before.
func From(before figures.Totals) Tally { return Tally{before: before} }

// maxCounted is how many calls of a session are remembered to have been counted.
const maxCounted = 512

var seed = maphash.MakeSeed()

// IsRepeat reports whether the call of a tool or model was counted already: by its id,
// by its other side, or by the span around or in it. It remembers the call if not.
func (t *Tally) IsRepeat(span ptrace.Span) bool {
	return t.isOtherSide(span) || !t.isNew(span.Attributes()) || facts.IsTool(span) && t.isNested(span)
}

// isNew reports whether the call was not counted yet: an agent, its hooks and the
// wire may all tell of it.
func (t *Tally) isNew(m pcommon.Map) bool {
	if facts.Str(m, mcpconv.DuplicateOf) != "" {
		return false
	}
	id := facts.CallID(m)
	if id == "" {
		return true
	}
	hash := maphash.String(seed, id)
	if slices.Contains(t.ids.Items, hash) {
		return false
	}
	t.ids.Add(hash, maxCounted)
	return true
}

// maxSides is how many calls are remembered to tell when their other side comes.
const maxSides = 128

// isOtherSide reports whether the span is the other side of a call that was counted: a
// server's span, whose parent is the client's, or that client's if it comes later.
func (t *Tally) isOtherSide(span ptrace.Span) bool {
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

// maxAgents is how many sub-agents are remembered to have been counted.
const maxAgents = 128

// IsNewAgent reports whether the span of a sub-agent was not counted yet, and remembers it.
func (t *Tally) IsNewAgent(span ptrace.Span) bool {
	m := span.Attributes()
	if facts.Str(m, mcpconv.DuplicateOf) != "" || facts.Str(m, mcpconv.DialectRepeats) == mcpconv.RepeatsCall ||
		slices.Contains(t.agents.Items, span.SpanID()) {
		return false
	}
	t.agents.Add(span.SpanID(), maxAgents)
	return true
}

// Failed counts what a span reports that failed, once, whatever else reports it. outermost
// says that nothing of its session is around it.
func (t *Tally) Failed(span ptrace.Span, outermost bool) { t.addErrors(t.failed.Add(span, outermost)) }

// addErrors counts errors. Those that turn out to be one may be of an epoch that ended.
func (t *Tally) addErrors(more int64) {
	if more >= 0 {
		t.Seen.Errors = figures.Plus(t.Seen.Errors, more)
		return
	}
	if t.Seen.Errors += more; t.Seen.Errors < 0 {
		t.before.Errors, t.Seen.Errors = max(0, t.before.Errors+t.Seen.Errors), 0
	}
}

// TakeDeltas takes what a heartbeat adds, and the total of a host; it reports
// whether there is any.
func (t *Tally) TakeDeltas(m pcommon.Map) bool {
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

// TakeSummary takes the sums that an epoch's summary tells.
func (t *Tally) TakeSummary(m pcommon.Map) {
	var u figures.Usage
	for key, to := range map[string]*int64{
		mcpconv.SummaryTools: &t.told.ToolCalls, mcpconv.SummaryLLM: &t.told.LLMCalls, mcpconv.SummaryAgents: &t.told.Agents,
		mcpconv.SummaryTurns: &t.told.Turns, mcpconv.SummaryRefusals: &t.told.Refusals, mcpconv.SummaryErrors: &t.told.Errors,
		mcpconv.SummaryInput: &u.Input, mcpconv.SummaryOutput: &u.Output, mcpconv.SummaryCached: &u.CacheRead,
		mcpconv.SummaryWritten: &u.CacheWrite, mcpconv.SummaryReasoning: &u.Reasoning,
	} {
		if n, ok := facts.Amount(m, key); ok {
			*to = n
		}
	}
	u.SummaryCost(m)
	t.told.Usage = &u
}

// Used adds what a call of a model took.
func (t *Tally) Used(u figures.Usage) {
	sum := t.Seen.Usage.Plus(&u)
	t.Seen.Usage = &sum
}

// Absorb adds what a session did that turned out to be part of this one.
func (t *Tally) Absorb(part *Tally, did figures.Totals) {
	s := &t.Seen
	s.ToolCalls, s.LLMCalls = figures.Plus(s.ToolCalls, did.ToolCalls), figures.Plus(s.LLMCalls, did.LLMCalls)
	s.Refusals, s.Agents, s.Turns = figures.Plus(s.Refusals, did.Refusals), figures.Plus(s.Agents, did.Agents), figures.Plus(s.Turns, did.Turns)
	if did.Usage != nil {
		t.Used(*did.Usage)
	}
	t.addErrors(did.Errors)
	t.addErrors(t.failed.Absorb(&part.failed))
	for _, hash := range part.ids.Items {
		t.ids.Add(hash, maxCounted)
	}
	for _, id := range part.sides.Items {
		t.sides.Add(id, maxSides)
	}
	for _, id := range part.agents.Items {
		t.agents.Add(id, maxAgents)
	}
	for _, n := range part.nested.Items {
		t.nested.Add(n, maxNested)
	}
}

// Next begins another epoch.
func (t *Tally) Next(soFar *figures.Totals) {
	t.before, t.Seen, t.told, t.hosted = *soFar, figures.Totals{}, figures.Totals{}, 0
}

// keptAgents is how many of the last sub-agents, and of other things that have two sides,
// an ended session remembers.
const keptAgents = 16

// Forget drops most of what tells repeats: the sessions that ended are many.
func (t *Tally) Forget() {
	t.ids, t.nested = recent.Ring[uint64]{}, recent.Ring[nested]{}
	t.sides.Keep(keptAgents)
	t.agents.Keep(keptAgents)
	t.failed.Forget()
}

// Sum writes the totals. A summary knows of calls that no span came of, and spans
// are seen of calls that it does not count.
func (t *Tally) Sum(to *figures.Totals) {
	to.ToolCalls = figures.Plus(t.before.ToolCalls, max(t.Seen.ToolCalls, t.told.ToolCalls))
	if t.hosted > 0 {
		to.ToolCalls = t.hosted
	}
	to.LLMCalls = figures.Plus(t.before.LLMCalls, max(t.Seen.LLMCalls, t.told.LLMCalls))
	to.Agents = figures.Plus(t.before.Agents, max(t.Seen.Agents, t.told.Agents))
	to.Errors = figures.Plus(t.before.Errors, max(t.Seen.Errors, t.told.Errors))
	to.Turns = figures.Plus(t.before.Turns, cmp.Or(t.told.Turns, t.Seen.Turns))
	to.Refusals = figures.Plus(t.before.Refusals, cmp.Or(t.told.Refusals, t.Seen.Refusals))
	if u := t.before.Usage.Plus(t.told.Usage.Or(t.Seen.Usage)); u != (figures.Usage{}) && (to.Usage == nil || *to.Usage != u) {
		to.Usage = &u
	}
}
