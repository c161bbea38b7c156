package sessions

import (
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

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
}

// usageOf reads what a model call took.
func usageOf(m pcommon.Map) (u Usage) {
	u.Input, _ = amount(m, mcpconv.GenAIUsageInput)
	u.Output, _ = amount(m, mcpconv.GenAIUsageOutput)
	u.CacheRead, _ = amount(m, mcpconv.GenAIUsageCacheRead)
	u.Reasoning, _ = amount(m, mcpconv.GenAIUsageReasoning)
	if written, ok := amount(m, mcpconv.GenAIUsageCacheWrite); ok {
		u.CacheWrite = written
	} else {
		u.CacheWrite, _ = amount(m, mcpconv.GenAIUsageCacheCreation)
	}
	u.CostUSD, _ = cost(m, mcpconv.LLMCost)
	return u
}

// spent adds what a model call took.
func (s *session) spent(m pcommon.Map) {
	u := usageOf(m)
	if u == (Usage{}) {
		return
	}
	var sum Usage
	if s.row.Usage != nil {
		sum = *s.row.Usage
	}
	sum.Input, sum.Output = plus(sum.Input, u.Input), plus(sum.Output, u.Output)
	sum.CacheRead, sum.CacheWrite = plus(sum.CacheRead, u.CacheRead), plus(sum.CacheWrite, u.CacheWrite)
	sum.Reasoning = plus(sum.Reasoning, u.Reasoning)
	sum.CostUSD = min(sum.CostUSD+u.CostUSD, maxCost)
	s.row.Usage = &sum
	s.pending.tokens = plus(s.pending.tokens, plus(u.Input, u.Output))
}

// totals takes the sums that a session's summary tells, which know more.
func (s *session) totals(m pcommon.Map) {
	var sum Usage
	if s.row.Usage != nil {
		sum = *s.row.Usage
	}
	for key, to := range map[string]*int64{
		mcpconv.SummaryInput: &sum.Input, mcpconv.SummaryOutput: &sum.Output, mcpconv.SummaryCached: &sum.CacheRead,
		mcpconv.SummaryTurns: &s.row.Turns, mcpconv.SummaryRefusals: &s.row.Refusals,
	} {
		if n, ok := amount(m, key); ok {
			*to = n
		}
	}
	if usd, ok := cost(m, mcpconv.SummaryCost); ok {
		sum.CostUSD = usd
	}
	if sum != (Usage{}) {
		s.row.Usage = &sum
	}
}

// maxSources is how many names of sources a row has.
const maxSources = 16

// sources lists what told of the session.
func (s *session) sources(m pcommon.Map) {
	v, ok := m.Get(mcpconv.SessionSources)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return
	}
	for _, source := range v.Slice().All() {
		if name := text(source.AsString()); name != "" && len(s.row.Sources) < maxSources && !slices.Contains(s.row.Sources, name) {
			s.row.Sources = append(s.row.Sources, name)
		}
	}
}

// model names the model of a model call, as the answer does if it does.
func (s *session) model(m pcommon.Map) {
	for _, key := range []string{mcpconv.LLMModel, mcpconv.GenAIRequestModel, mcpconv.GenAIResponseModel} {
		set(&s.row.Model, m, key)
	}
}

// refused reports whether a person or a rule refused the tool call.
func refused(span ptrace.Span) bool {
	decision := strings.ToLower(str(span.Attributes(), mcpconv.ToolDecision))
	return strings.HasPrefix(decision, "reject") || strings.HasPrefix(decision, "den")
}

// amount is a number that is not negative.
func amount(m pcommon.Map, key string) (int64, bool) {
	n, ok := number(m, key)
	return max(0, n), ok && n >= 0
}

// maxCost keeps out what is no amount of money; JSON has no infinity.
const maxCost = 1e12

func cost(m pcommon.Map, key string) (float64, bool) {
	usd, ok := float(m, key)
	if !ok || !(usd >= 0 && usd <= maxCost) {
		return 0, false
	}
	return usd, true
}

// plus is a sum that does not overflow.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
