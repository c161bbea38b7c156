package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// absorb ends the session of a sub-agent that turns out to be part of s, which then
// counts what it did. Its spans stay where they are.
func (tx *ends) absorb(s, part *store.Session) {
	tx.endAs(part, part.Last, mcpconv.EndFinished, &s.SessionRecord)
	agent := editAgent(s)
	before := agent.Done.Bytes()
	for _, f := range part.Agent.Done { // its other sources may report it again
		agent.Done = agent.Done.With(f)
	}
	s.Held += agent.Done.Bytes() - before
	s.Summary.Absorb(&part.Summary)
}
