package sessions

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTotalsOfTheHost: what the host counts itself is what the row says.
func TestTotalsOfTheHost(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "tool.call", 3, 1, 1, 2)(b)
	span("s", "notifications/host.heartbeat", 4, 1, 2, 2, "mcp.host.phase", "working", "mcp.host.tool_calls.total", 41)(b)
	assert.EqualValues(t, 41, row(t, b, "s").ToolCalls)
	span("s", "tool.call", 5, 1, 3, 4)(b)
	assert.EqualValues(t, 41, row(t, b, "s").ToolCalls, "its next heartbeat counts that")
	span("s", "notifications/host.heartbeat", 6, 1, 5, 5, "mcp.host.phase", "working", "mcp.host.tool_calls.total", 42)(b)
	assert.EqualValues(t, 42, row(t, b, "s").ToolCalls)
}

// TestTotalsOfHeartbeats: differences are summed, unless more was seen.
func TestTotalsOfHeartbeats(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	for i := range 3 {
		span("s", "inspector.Heartbeat", byte(3+i), 1, i, i, "mcp.heartbeat.llm_calls_delta", 2, "mcp.heartbeat.tool_calls_delta", 1, "mcp.heartbeat.tokens_delta", 100)(b)
	}
	got := row(t, b, "s")
	assert.EqualValues(t, 6, got.LLMCalls)
	assert.EqualValues(t, 3, got.ToolCalls)
	for i := range 5 {
		span("s", "tool.call", byte(10+i), 1, 1, 2)(b)
	}
	assert.EqualValues(t, 5, row(t, b, "s").ToolCalls)
}

// TestTotalsOfEpochs: each summary tells of its own epoch.
func TestTotalsOfEpochs(t *testing.T) {
	b, _ := board(10)
	for epoch := range 2 {
		root, from := byte(1+10*epoch), 100*epoch
		span("s", "session.start", root+1, root, from, from, "mcp.session.epoch", epoch+1)(b)
		span("s", "tool.call", root+2, root, from+1, from+2)(b)
		span("s", "session.summary", root+3, root, from+5, from+5, "mcp.summary.tool_calls", 3, "mcp.summary.llm_calls", 2, "mcp.summary.agents", 1,
			"mcp.summary.turns", 4, "mcp.summary.input_tokens", 1000, "mcp.summary.cost_usd", 0.5)(b)
		span("s", "workflow.run", root, 0, from, from+6, "mcp.session.end_reason", "idle", "mcp.session.epoch", epoch+1)(b)
	}
	got := row(t, b, "s")
	assert.EqualValues(t, 6, got.ToolCalls)
	assert.EqualValues(t, 4, got.LLMCalls)
	assert.EqualValues(t, 2, got.Agents)
	assert.EqualValues(t, 8, got.Turns)
	assert.EqualValues(t, 2000, got.Usage.Input)
	assert.InDelta(t, 1, got.Usage.CostUSD, 0)
}

// TestOneFactCountsOnce: whoever tells of a call.
func TestOneFactCountsOnce(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "tool.call", 3, 1, 1, 2, "gen_ai.tool.call.id", "toolu_1")(b)
	span("s", "tool.call", 4, 3, 1, 2, "mcp.tool.call_id", "toolu_1")(b) // on the wire
	span("s", "claude_code.tool", 5, 1, 1, 2, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.id", "toolu_1")(b)
	span("s", "execute_tool Bash", 6, 1, 1, 2, "gen_ai.operation.name", "execute_tool", "mcp.duplicate_of", "0000000000000003", "mcp.status.code", "error")(b)
	span("s", "chat", 7, 1, 1, 2, "gen_ai.operation.name", "chat", "gen_ai.response.id", "msg_1", "gen_ai.usage.input_tokens", 10)(b)
	span("s", "chat", 8, 1, 1, 2, "gen_ai.operation.name", "chat", "gen_ai.response.id", "msg_1", "gen_ai.usage.input_tokens", 10)(b)
	got := row(t, b, "s")
	assert.EqualValues(t, 1, got.ToolCalls)
	assert.EqualValues(t, 1, got.LLMCalls)
	assert.EqualValues(t, 10, got.Usage.Input)
	assert.Zero(t, got.Errors)
}

// TestACallCountsWhereItWasMade: what a server tells of a call was counted where the call
// was made.
func TestACallCountsWhereItWasMade(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "tool.call", 3, 1, 1, 2, "mcp.request_id", "request-1")(b)
	span("s", "tools/call search", 4, 3, 1, 2, "mcp.request_id", "request-1", "gen_ai.operation.name", "execute_tool")(b)
	assert.EqualValues(t, 1, row(t, b, "s").ToolCalls)
}

// TestHostErrors: what failed and whether the host tries again, until it goes on.
func TestHostErrors(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "notifications/host.error", 3, 1, 5, 5, "mcp.host.error.type", "rate_limit", "mcp.host.error.retrying", true,
		"mcp.host.error.retry_count", 3, "mcp.error.message", "slow down")(b)
	got := row(t, b, "s")
	require.NotNil(t, got.HostError)
	assert.Equal(t, HostError{Type: "rate_limit", Message: "slow down", Retrying: true, RetryCount: 3, Time: got.HostError.Time}, *got.HostError)
	assert.Equal(t, "error", got.Phase, "no other is known")
	assert.Equal(t, Running, got.State)

	span("s", "notifications/host.heartbeat", 4, 1, 4, 4, "mcp.host.phase", "working")(b) // earlier, and late
	assert.NotNil(t, row(t, b, "s").HostError)
	span("s", "notifications/host.heartbeat", 5, 1, 6, 6, "mcp.host.phase", "working")(b)
	got = row(t, b, "s")
	assert.Nil(t, got.HostError)
	assert.Equal(t, "working", got.Phase)

	span("s", "notifications/host.error", 6, 1, 8, 8, "mcp.host.error.type", "rate_limit", "mcp.host.error.retrying", true)(b)
	assert.Equal(t, "working", row(t, b, "s").Phase, "it goes on")
	span("s", "hook.StopFailure", 7, 1, 9, 9, "mcp.host.error.type", "auth_failure")(b)
	assert.Equal(t, "error", row(t, b, "s").Phase)
	span("s", "workflow.run", 1, 0, 0, 10, "mcp.session.end_reason", "closed")(b)
	assert.Nil(t, row(t, b, "s").HostError)
}

// TestEndedStalled: a session that stalled does not turn into something else when
// it is given up.
func TestEndedStalled(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "mcp.host.stalled", 3, 1, 5, 5, "mcp.host.phase", "thinking")(b)
	end := span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "stalled", "mcp.status.code", "error", "mcp.error.code", "TIMEOUT")
	u := end(b)
	assert.Equal(t, "failed", u.Events[0].Status)
	got := row(t, b, "s")
	assert.Equal(t, Stalled, got.State)
	assert.Equal(t, "failed", got.Status)
	require.NotNil(t, got.Stalled)
	assert.Equal(t, "thinking", got.Stalled.Detail)
	text := b.Meta("s")
	again, _ := board(10)
	require.True(t, again.Known("s", text, 1))
	assert.Equal(t, Stalled, row(t, again, "s").State)

	other, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(other)
	end(other)
	require.NotNil(t, row(t, other, "s").Stalled)
}

// TestTurnsAreNoSubAgents: an agent's own span of a turn has the same operation.
func TestTurnsAreNoSubAgents(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "claude_code.interaction", 3, 1, 1, 9, "gen_ai.operation.name", "invoke_agent", "mcp.turn.index", 1)(b)
	span("s", "agent.turn", 4, 1, 10, 19, "gen_ai.operation.name", "invoke_agent", "mcp.turn.index", 2)(b)
	span("s", "agent.turn", 5, 1, 10, 19, "gen_ai.operation.name", "invoke_agent", "mcp.turn.index", 2, "mcp.duplicate_of", "0000000000000004")(b)
	span("s", "invoke_agent reviewer", 6, 3, 2, 3, "gen_ai.operation.name", "invoke_agent")(b)
	got := row(t, b, "s")
	assert.EqualValues(t, 2, got.Turns)
	assert.EqualValues(t, 1, got.Agents)
}

// TestTotalsNearTheLimit: no sum becomes negative.
func TestTotalsNearTheLimit(t *testing.T) {
	b, clock := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	for i := range byte(3) {
		span("s", "Heartbeat", 10+i, 1, int(i), int(i), "mcp.heartbeat.tokens_delta", int64(math.MaxInt64),
			"mcp.heartbeat.tool_calls_delta", int64(math.MaxInt64), "mcp.heartbeat.llm_calls_delta", int64(math.MaxInt64))(b)
		span("s", "llm.generate", 20+i, 1, int(i), int(i)+1, "gen_ai.usage.input_tokens", int64(math.MaxInt64), "gen_ai.usage.output_tokens", int64(math.MaxInt64))(b)
	}
	r := row(t, b, "s")
	assert.EqualValues(t, math.MaxInt64, r.ToolCalls)
	assert.EqualValues(t, math.MaxInt64, r.LLMCalls)
	text := string(b.Meta("s"))
	assert.NotContains(t, text, `:-`)
	clock.t = clock.t.Add(time.Hour)
	beats := b.Beat(10)
	assert.NotEmpty(t, beats)
	for _, e := range beats {
		encoded, err := json.Marshal(e)
		require.NoError(t, err)
		assert.NotContains(t, string(encoded), `:-`)
	}
}
