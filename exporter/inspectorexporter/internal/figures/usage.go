package figures

import (
	"cmp"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Usage is what a session's model calls took, in tokens and US dollars.
type Usage struct {
	Input      int64   `json:"input_tokens,omitempty"`
	Output     int64   `json:"output_tokens,omitempty"`
	CacheRead  int64   `json:"cache_read_input_tokens,omitempty"`
	CacheWrite int64   `json:"cache_write_input_tokens,omitempty"`
	Reasoning  int64   `json:"reasoning_output_tokens,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	Estimated  float64 `json:"cost_estimated_usd,omitempty"` // the part of CostUSD that is an estimate
	Prices     string  `json:"cost_source,omitempty"`        // by which it was made
}

// UsageOf reads what a model call took.
func UsageOf(m pcommon.Map) (u Usage) {
	u.Input, _ = facts.Amount(m, mcpconv.GenAIUsageInput)
	u.Output, _ = facts.Amount(m, mcpconv.GenAIUsageOutput)
	u.CacheRead, _ = facts.Amount(m, mcpconv.GenAIUsageCacheRead)
	u.Reasoning, _ = facts.Amount(m, mcpconv.GenAIUsageReasoning)
	if written, ok := facts.Amount(m, mcpconv.GenAIUsageCacheWrite); ok {
		u.CacheWrite = written
	} else {
		u.CacheWrite, _ = facts.Amount(m, mcpconv.GenAIUsageCacheCreation)
	}
	u.CostUSD, _ = facts.Cost(m, mcpconv.LLMCost)
	if estimated, _ := facts.Bool(m, mcpconv.LLMCostEstimated); estimated {
		u.Estimated = u.CostUSD
	}
	return u
}

// SummaryCost reads what all model calls of a session cost.
func (u *Usage) SummaryCost(m pcommon.Map) {
	u.CostUSD, _ = facts.Cost(m, mcpconv.SummaryCost)
	u.Estimated, _ = facts.Cost(m, mcpconv.SummaryEstimated)
	u.Prices = facts.Text(facts.Str(m, mcpconv.SummaryPrices))
}

// Totals is what a session has done, and what that took.
type Totals struct {
	ToolCalls int64  `json:"tool_calls,omitempty"`
	LLMCalls  int64  `json:"llm_calls,omitempty"`
	Agents    int64  `json:"agents,omitempty"`
	Turns     int64  `json:"turns,omitempty"`
	Refusals  int64  `json:"refusals,omitempty"`
	Errors    int64  `json:"errors"`
	Usage     *Usage `json:"usage,omitempty"`
}

// Plus is the sum of both, which may be nil.
func (u *Usage) Plus(v *Usage) (sum Usage) {
	for _, one := range []*Usage{u, v} {
		if one == nil {
			continue
		}
		sum.Input, sum.Output = Plus(sum.Input, one.Input), Plus(sum.Output, one.Output)
		sum.CacheRead, sum.CacheWrite = Plus(sum.CacheRead, one.CacheRead), Plus(sum.CacheWrite, one.CacheWrite)
		sum.Reasoning = Plus(sum.Reasoning, one.Reasoning)
		sum.CostUSD, sum.Estimated = min(sum.CostUSD+one.CostUSD, facts.MaxCost), min(sum.Estimated+one.Estimated, facts.MaxCost)
		sum.Prices = cmp.Or(sum.Prices, one.Prices)
	}
	return sum
}

// Or is u, and v where u tells nothing; both may be nil.
func (u *Usage) Or(v *Usage) *Usage {
	if u == nil || v == nil {
		return cmp.Or(u, v)
	}
	or := &Usage{
		Input: cmp.Or(u.Input, v.Input), Output: cmp.Or(u.Output, v.Output), CacheRead: cmp.Or(u.CacheRead, v.CacheRead),
		CacheWrite: cmp.Or(u.CacheWrite, v.CacheWrite), Reasoning: cmp.Or(u.Reasoning, v.Reasoning), CostUSD: cmp.Or(u.CostUSD, v.CostUSD),
	}
	if or.CostUSD == u.CostUSD && u.CostUSD != 0 {
		v = u
	}
	or.Estimated, or.Prices = v.Estimated, v.Prices
	return or
}

// Plus is a sum that does not overflow.
func Plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
