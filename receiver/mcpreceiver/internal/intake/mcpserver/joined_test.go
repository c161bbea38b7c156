package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// callWith calls the heartbeat tool as an agent does that adds to _meta.
func callWith(meta string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"host_heartbeat","arguments":{"phase":"working"},"_meta":` + meta + `}}`
}

func openAs(t *testing.T, b *bench, client string) string {
	w := b.post(strings.Replace(initialize, `"agent"`, `"`+client+`"`, 1))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	return w.Header().Get(sessionHeader)
}

// sessionsOf are the names of the sessions that spans were of, each once.
func (b *bench) sessionsSeen() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := map[string]bool{}
	for _, s := range b.spans {
		if id, ok := s.Attributes().Get("session.id"); ok {
			seen[id.Str()] = true
		}
	}
	return seen
}

// Codex names its session with each call: the heartbeat belongs there, and what it
// opened here is no session of its own, until and after its end.
func TestAHeartbeatOfCodexIsOfItsSession(t *testing.T) {
	b := newBench(t)
	id := openAs(t, b, "codex-mcp-client")
	require.Equal(t, http.StatusOK, b.post(list, sessionHeader, id).Code)
	w := b.post(callWith(`{"callId":"call_1","sessionId":"0199-session","threadId":"0199-thread"}`), sessionHeader, id)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, http.StatusNoContent, b.do(http.MethodDelete, "", sessionHeader, id).Code)
	assert.Equal(t, map[string]bool{"0199-thread": true}, b.sessionsSeen())
	assert.NotContains(t, b.names(), "workflow.run", "the agent's session goes on")
	assert.Equal(t, http.StatusNotFound, b.post(list, sessionHeader, id).Code)
}

// Claude Code names the call, which its hook reported before.
func TestAHeartbeatOfClaudeCodeIsOfItsSession(t *testing.T) {
	b := newBench(t)
	id := openAs(t, b, "claude-code")
	require.NoError(t, b.runner.Run(t.Context(), "/hooks", func(tx *session.Tx, now int64) error {
		started := &event.ToolStarted{Use: event.ToolUse{
			ID: `"toolu_1"`, Tool: `"mcp__otelcol__host_heartbeat"`, Server: "otelcol", Name: "host_heartbeat", Input: `{"phase":"working"}`,
		}}
		started.Source = event.Hook
		return tx.Apply(t.Context(), &event.Envelope{Arrival: now, Time: now, Session: "cc-1", Client: "claude-code"}, started)
	}))
	const modern = `,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2"}`
	w := b.post(callWith(`{"claudecode/toolUseId":"toolu_1"}`), sessionHeader, id)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	w = b.post(callWith(`{"claudecode/toolUseId":"toolu_1"`+modern+`}`), versionHeader, "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "host_heartbeat")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Equal(t, map[string]bool{"cc-1": true}, b.sessionsSeen())

	w = b.post(callWith(`{"claudecode/toolUseId":"toolu_2"}`), sessionHeader, id)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Equal(t, map[string]bool{"cc-1": true, id: true}, b.sessionsSeen(), "a call that nothing tells of is its own session's")
}

// What a tap that was told the agent's name reports, and what the agent itself reports
// under that name, are one session.
func TestAHeartbeatAndATapOfOneAgent(t *testing.T) {
	b := newBench(t)
	r := httptest.NewRequest(http.MethodPost, "http://localhost"+Path+"?agent=nightly", strings.NewReader(heartbeatNote))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusAccepted, w.Code, w.Body)
	require.NoError(t, b.runner.Run(t.Context(), "/tap", func(tx *session.Tx, now int64) error {
		env := &event.Envelope{Arrival: now, Time: now, Session: "nightly", Connection: "tap-1", Part: true, Direction: event.FromClient}
		return tx.Apply(t.Context(), env, &event.HostReported{Notice: event.Notice{
			Contact: event.Contact{Method: "notifications/host.token_pressure"}, Name: "notifications/host.token_pressure",
		}})
	}))
	assert.Equal(t, map[string]bool{"nightly": true}, b.sessionsSeen())
}
