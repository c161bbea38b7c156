package sessions

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
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

// SummaryCost reads what all model calls of a session cost.
func (u *Usage) SummaryCost(m pcommon.Map) {
	u.CostUSD, _ = attribute.Cost(m, mcpconv.SummaryCost)
	u.Estimated, _ = attribute.Cost(m, mcpconv.SummaryEstimated)
	u.Prices = attribute.Text(attribute.Str(m, mcpconv.SummaryPrices))
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

// plus is a sum that does not overflow.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
