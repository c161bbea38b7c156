package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAConnectionRests: a connection of an agent to an MCP server says nothing while the
// agent calls none of its tools, and many agents never close it. That is neither work nor
// an alarm.
func TestAConnectionRests(t *testing.T) {
	b, c := board(10)
	peer(b, "w-1", "session.start", wire, nil)
	peer(b, "w-1", "initialize", wire, map[string]any{"mcp.rpc.method": "initialize"})
	assert.Equal(t, Running, row(t, b, "w-1").State)
	c.t = c.t.Add(2 * time.Minute)
	assert.Equal(t, Idle, row(t, b, "w-1").State)
	version := b.Version()
	peer(b, "w-1", "tool.call", wire, map[string]any{"mcp.rpc.method": "tools/call"})
	assert.Greater(t, b.Version(), version)
	assert.Equal(t, Running, row(t, b, "w-1").State)
	c.t = c.t.Add(3 * time.Hour)
	assert.Equal(t, Idle, row(t, b, "w-1").State)
}

// TestAConnectionOfAnEarlierRunRests: nothing more need come of it.
func TestAConnectionOfAnEarlierRunRests(t *testing.T) {
	b, c := board(10)
	for _, name := range []string{"session.start", "initialize"} {
		resource, s := peerSpan("w-1", name, wire, map[string]any{"mcp.rpc.method": "initialize"})
		b.Restore("w-1", resource, s)
	}
	c.t = c.t.Add(3 * time.Hour)
	assert.Equal(t, Idle, row(t, b, "w-1").State)
}

// TestConnectionsBesideSessionsOfAnEarlierRun: they may be of those, too.
func TestConnectionsBesideSessionsOfAnEarlierRun(t *testing.T) {
	b, _ := board(10)
	b.OnePerson = true
	for _, id := range []string{"a-1", "a-2"} {
		resource, s := peerSpan(id, "hook.BeforeAgent", "gemini-cli", nil)
		b.Restore(id, resource, s)
	}
	peer(b, "w-1", "initialize", wire, map[string]any{"mcp.rpc.method": "initialize"})
	peer(b, "a-1", "hook.AfterAgent", "gemini-cli", nil)
	assert.Contains(t, ids(b), "w-1", "it may be of either")
}

// TestTheAgentOfAConnectionReports: then it is no mere connection.
func TestTheAgentOfAConnectionReports(t *testing.T) {
	b, c := board(10)
	peer(b, "w-1", "initialize", wire, map[string]any{"mcp.rpc.method": "initialize"})
	peer(b, "w-1", "hook.BeforeAgent", "gemini-cli", map[string]any{"mcp.session.sources": []any{"hooks"}})
	c.t = c.t.Add(2 * time.Minute)
	assert.Equal(t, Running, row(t, b, "w-1").State)
}

// TestContextOfAModelCall: how full the context is after a call of a model is no count of
// the host's, so the tokens that were used stay in the heartbeats.
func TestContextOfAModelCall(t *testing.T) {
	b, c := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "agent.start", 3, 7, 1, 1)(b)
	u := span("s", "llm.generate", 4, 1, 1, 2, "mcp.host.tokens.used", 5000, "gen_ai.usage.input_tokens", 5000, "gen_ai.usage.output_tokens", 20)(b)
	for _, e := range u.Events {
		assert.NotEqual(t, "Heartbeat", e.Type)
	}
	u = span("s", "call.amended", 5, 1, 2, 2, "mcp.amended.span_id", "0102030405060708", "mcp.host.tokens.used", 5000)(b)
	for _, e := range u.Events {
		assert.NotEqual(t, "Heartbeat", e.Type)
	}
	c.t = c.t.Add(16 * time.Second)
	events := b.Beat(10)
	require.Len(t, events, 1)
	assert.EqualValues(t, 5020, *events[0].Tokens)
}
