package mcpreceiver

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// summaryKeys are the counts that every summary has, zeros too.
var summaryKeys = []string{
	mcpconv.SummaryLLM, mcpconv.SummaryTokens, mcpconv.SummaryTools, mcpconv.SummaryResources, mcpconv.SummaryPrompts,
	mcpconv.SummaryAgents, mcpconv.SummaryNotices, mcpconv.SummaryErrors, mcpconv.SummaryWaiting,
}

// requireCounts holds the summary against the spans that it counts.
func requireCounts(t *testing.T, summary, root ptrace.Span, spans []ptrace.Span) {
	want, own, seen := map[string]int64{}, ownCalls(spans), map[pcommon.SpanID]bool{}
	for _, s := range spans {
		if countedAs(s) == mcpconv.SummaryTools && seen[s.SpanID()] {
			continue // the same report again
		}
		seen[s.SpanID()] = true
		if textOf(s, mcpconv.RPCID) == "" || !own[textOf(s, mcpconv.GenAIToolCallID)] {
			countSpan(want, s)
			if s.Status().Code() == ptrace.StatusCodeError && followsFrom(s, spans) {
				want[mcpconv.SummaryErrors]--
			}
		}
	}
	for _, s := range spans {
		countTotals(want, s)
	}
	if textOf(root, mcpconv.ErrorCode) == mcpconv.CodeServerError {
		want[mcpconv.SummaryErrors] = max(want[mcpconv.SummaryErrors], 1) // that of its finish
	}
	for _, key := range summaryKeys {
		_, ok := summary.Attributes().Get(key)
		assert.True(t, ok, "no %s", key)
		assert.Equal(t, want[key], numberOf(summary, key), key)
	}
	for _, key := range []string{mcpconv.SummaryTurns, mcpconv.SummaryRefusals} { // of agents alone
		assert.Equal(t, want[key], numberOf(summary, key), key)
	}
}

// followsFrom reports whether another span tells of the same failure and counts: a turn ends
// by the call of a model, a hook reports the end of the turn, a phase begins with it, a poll for
// events fails for each subscription, and an agent by a call in it.
func followsFrom(s ptrace.Span, spans []ptrace.Span) bool {
	at, rank, near := s.EndTimestamp(), tells(s), time.Duration(2)
	if s.Name() == mcpconv.SpanPhase {
		at, near = s.StartTimestamp(), 5*time.Second
	}
	for _, other := range spans {
		if s.Name() == mcpconv.SpanAgent && other.ParentSpanID() == s.SpanID() && other.Status().Code() == ptrace.StatusCodeError {
			return true
		}
		apart := other.EndTimestamp().AsTime().Sub(at.AsTime()).Abs()
		if rank > 0 && tells(other) > rank && other.Status().Code() == ptrace.StatusCodeError && apart <= near {
			return true
		}
	}
	return false
}

// tells returns how directly the span tells of what failed, 0 if it tells of something of its own.
func tells(s ptrace.Span) int {
	switch {
	case s.Name() == mcpconv.SpanPhase, strings.HasPrefix(s.Name(), "notifications/events/"):
		return 1
	case s.Name() == mcpconv.MethodEventsPoll:
		return 2
	case s.Name() == mcpconv.HostError, strings.HasPrefix(s.Name(), mcpconv.SpanHook):
		return 2
	case s.Name() == mcpconv.SpanTurn:
		return 3
	case s.Name() == mcpconv.SpanLLM:
		return 4
	}
	return 0
}

// ownCalls are the ids of tool calls that the agent reported itself: their messages do
// not count.
func ownCalls(spans []ptrace.Span) map[string]bool {
	own := map[string]bool{}
	for _, s := range spans {
		if id := textOf(s, mcpconv.GenAIToolCallID); id != "" && textOf(s, mcpconv.RPCID) == "" {
			own[id] = true
		}
	}
	return own
}

// countTotals lets the host's last totals count for more than a sum. What is used
// of the context, as ACP tells it, is no total.
func countTotals(sum map[string]int64, s ptrace.Span) {
	if textOf(s, mcpconv.MethodName) == "session/update" {
		return
	}
	for from, to := range map[string]string{
		mcpconv.HostTokensUsed: mcpconv.SummaryTokens, mcpconv.HostToolCalls: mcpconv.SummaryTools,
	} {
		if v, ok := s.Attributes().Get(from); ok {
			sum[to] = v.Int()
		}
	}
}

func countSpan(sum map[string]int64, s ptrace.Span) {
	for to, from := range map[string]string{
		mcpconv.SummaryTools: mcpconv.HeartbeatTools, mcpconv.SummaryLLM: mcpconv.HeartbeatLLM, mcpconv.SummaryTokens: mcpconv.HeartbeatTokens,
	} {
		if more := numberOf(s, from); sum[to] > math.MaxInt64-more {
			sum[to] = math.MaxInt64
		} else {
			sum[to] += more
		}
	}
	switch {
	case textOf(s, mcpconv.ToolDecision) == "reject":
		sum[mcpconv.SummaryRefusals]++
	case textOf(s, mcpconv.ToolDecision) == "interrupted":
	case s.Status().Code() == ptrace.StatusCodeError:
		sum[mcpconv.SummaryErrors]++
	}
	if isWait(s) {
		sum[mcpconv.SummaryWaiting] += s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime()).Milliseconds()
	}
	if isNotice(s) {
		sum[mcpconv.SummaryNotices]++
	}
	key := countedAs(s)
	if key != "" {
		sum[key]++
	}
	if key == mcpconv.SummaryLLM {
		sum[mcpconv.SummaryTokens] += numberOf(s, mcpconv.GenAIUsageInput) + numberOf(s, mcpconv.GenAIUsageOutput)
	}
	if s.Name() == mcpconv.SpanTurn {
		sum[mcpconv.SummaryTurns]++
	}
}

// isWait reports whether nothing went on during the span but waiting for a person.
func isWait(s ptrace.Span) bool {
	if s.Name() == mcpconv.SpanPhase {
		return textOf(s, mcpconv.HostPhase) == mcpconv.PhaseApproval
	}
	return s.Name() == mcpconv.SpanSignalWait || textOf(s, mcpconv.SignalName) != "" && s.Name() != mcpconv.SpanSignalStart
}

// isNotice reports whether the span is neither a call nor any other span of our own.
func isNotice(s ptrace.Span) bool {
	switch countedAs(s) {
	case mcpconv.SummaryTools, mcpconv.SummaryLLM, mcpconv.SummaryAgents:
		return false
	}
	return s.Kind() == ptrace.SpanKindInternal && !isOurs(s) && !isWait(s)
}

// isOurs reports whether the span tells of no message.
func isOurs(s ptrace.Span) bool {
	switch s.Name() {
	case mcpconv.SpanSignalStart, mcpconv.SpanAgentStart, mcpconv.SpanPhase, mcpconv.SpanHostStalled,
		mcpconv.SpanHostUnknown, mcpconv.SpanTurn, mcpconv.SpanHostResumed, mcpconv.SpanCallStuck, mcpconv.SpanCallReturned:
		return true
	}
	return false
}

// countedAs is the key of the summary that counts spans like this one, if any.
func countedAs(s ptrace.Span) string {
	operation := textOf(s, mcpconv.GenAIOperation)
	switch {
	case isOurs(s):
		return ""
	case s.Name() == mcpconv.SpanTool || operation == mcpconv.OperationTool:
		return mcpconv.SummaryTools
	case s.Name() == mcpconv.SpanLLM || operation == mcpconv.OperationChat:
		return mcpconv.SummaryLLM
	case s.Name() == mcpconv.SpanAgent || operation == mcpconv.OperationAgent:
		return mcpconv.SummaryAgents
	case s.Name() == mcpconv.SpanResource || strings.HasPrefix(s.Name(), "resources/read"):
		return mcpconv.SummaryResources
	case s.Name() == mcpconv.SpanPrompt || strings.HasPrefix(s.Name(), "prompts/get"):
		return mcpconv.SummaryPrompts
	}
	return ""
}

func textOf(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.Str()
}

func numberOf(s ptrace.Span, key string) int64 {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return 0
	}
	return v.Int()
}
