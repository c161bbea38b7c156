package session

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// together is how far apart the starts of tools may lie that an agent calls at the
// same time.
const together = int64(2 * time.Second)

// endsUnseen reports whether the hooks of the agent leave out some ends of tools:
// those of failed calls of MCP servers (Codex), those of refused calls (Gemini CLI,
// Copilot).
func endsUnseen(agent string) bool {
	return agent == mcpconv.Codex || agent == mcpconv.GeminiCLI || agent == mcpconv.Copilot
}

// doubtEarlier notes that calls which began before what now begins may have ended
// unseen: agents call tools together, or one after another. Such a call is not
// stuck; it ends with its turn at the latest.
func (tx *agentTools) doubtEarlier(s *store.Session, now *store.Call) {
	if !endsUnseen(now.Client) || s.OpenCalls() > store.NestedMax {
		return
	}
	for _, c := range s.CallsInOrder() {
		if c != now && c.Source == event.Hook && c.SubAgent == now.SubAgent && !c.Uncertain && !c.Over() && now.Start-c.Start > together {
			tx.store.Doubt(c)
		}
	}
}
