package sessions

import (
	"hash/maphash"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// clients are the agents by the names that they give themselves as clients of MCP.
var clients = map[string]string{
	mcpconv.ClaudeCode: mcpconv.ClaudeCode, "codex-mcp-client": mcpconv.Codex, "gemini-cli-mcp-client": mcpconv.GeminiCLI,
	"opencode": mcpconv.OpenCode, "copilot-cli": mcpconv.Copilot, "github-copilot-developer": mcpconv.Copilot,
	"cursor-vscode": mcpconv.Cursor,
}

// nature is whether a session is an agent's own, or the connection of an agent to an
// MCP server.
type nature struct {
	agent string // that reports the session itself
	wire  string // whose connection it is
	named bool   // something named its sources: it is not only a connection
}

// learn finds out what the session is; it is true if that is news.
func (n *nature) learn(name, service string, m pcommon.Map) bool {
	before := *n
	if _, ok := m.Get(mcpconv.SessionSources); ok {
		n.named = true
	}
	operation := facts.Str(m, mcpconv.GenAIOperation)
	switch {
	case n.agent != "":
	case strings.HasPrefix(name, mcpconv.SpanHook), name == mcpconv.SpanTurn, operation == mcpconv.OperationChat, n.ownSources(m):
		n.agent = agentNamed(facts.Str(m, mcpconv.ClientName), service)
	case facts.Str(m, mcpconv.RPCMethod) != "" && n.wire == "":
		n.wire = clients[service]
	}
	return *n != before
}

// ownSources reports whether the agent itself is among the sources.
func (n *nature) ownSources(m pcommon.Map) bool {
	v, ok := m.Get(mcpconv.SessionSources)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return false
	}
	for _, source := range v.Slice().All() {
		switch source.AsString() {
		case mcpconv.SourceHooks, mcpconv.SourceLogs, mcpconv.SourceSpans:
			return true
		}
	}
	return false
}

// agentNamed is the agent by the first name that is one.
func agentNamed(names ...string) string {
	for _, name := range names {
		switch name {
		case mcpconv.ClaudeCode, mcpconv.Codex, mcpconv.GeminiCLI, mcpconv.OpenCode, mcpconv.Copilot, mcpconv.Cursor:
			return name
		}
	}
	return ""
}

// isWire reports whether the session is nothing but a connection.
func (n *nature) isWire() bool { return n.wire != "" && n.agent == "" && !n.named }

// peers are the sessions that agents report themselves, and the connections that may be
// theirs, by agent.
type peers struct {
	agents, wires map[string][]*session
}

func newPeers() peers { return peers{agents: map[string][]*session{}, wires: map[string][]*session{}} }

// keep lists the session as what it turned out to be.
func (p *peers) keep(s *session) {
	p.forget(s)
	switch {
	case s.agent != "":
		p.agents[s.agent] = append(p.agents[s.agent], s)
	case s.isWire():
		p.wires[s.wire] = append(p.wires[s.wire], s)
	}
}

func (p *peers) forget(s *session) {
	for _, all := range []map[string][]*session{p.agents, p.wires} {
		for _, name := range []string{s.agent, s.wire} {
			if i := slices.Index(all[name], s); i >= 0 {
				all[name] = slices.Delete(all[name], i, i+1)
			}
		}
	}
}

// joinPeers folds the connections of an agent into its session, as far as it is certain
// whose they are: a call has the id of one of the session's, or the agent has no other
// session at that time.
func (b *Board) joinPeers(s *session, news bool, m pcommon.Map) {
	if news {
		b.peers.keep(s)
	}
	switch {
	case s.isWire():
		if whole := b.agentOf(s, m); whole != nil {
			b.fold(s.row.ID, part{whole: whole.row.ID, wire: true})
		}
	case news && s.agent != "":
		for _, wire := range slices.Clone(b.peers.wires[s.agent]) {
			if wire.row.EndedAt == 0 && b.agentOf(wire, pcommon.NewMap()) == s {
				b.fold(wire.row.ID, part{whole: s.row.ID, wire: true})
			}
		}
	}
}

// agentOf is the session of the agent whose connection this is, nil if that is not
// certain.
func (b *Board) agentOf(wire *session, m pcommon.Map) (found *session) {
	var id uint64
	if call := facts.Str(m, mcpconv.GenAIToolCallID); call != "" {
		id = maphash.String(callSeed, call)
	}
	n := 0
	for _, s := range b.peers.agents[wire.wire] {
		if s.row.EndedAt != 0 && s.row.EndedAt < wire.row.StartedAt {
			continue
		}
		if id != 0 && slices.Contains(s.calls.items, id) {
			return s
		}
		n++
		found = s
	}
	if n != 1 {
		return nil
	}
	return found
}
