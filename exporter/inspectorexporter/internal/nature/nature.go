// Package nature tells sessions that agents report themselves from their connections
// to MCP servers.
package nature

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Nature is whether a session is an agent's own, or the connection of an agent to an
// MCP server.
type Nature struct {
	Agent string // that reports the session itself, "" if none does
	Wire  string // whose connection it is, "" if that is not known
	named bool   // something named its sources: it is not only a connection
}

// Learn finds out what the session is; it is true if that is news.
func (n *Nature) Learn(name, service string, m pcommon.Map) bool {
	before := *n
	if _, ok := m.Get(mcpconv.SessionSources); ok {
		n.named = true
	}
	operation := facts.Str(m, mcpconv.GenAIOperation)
	switch {
	case n.Agent != "":
	case strings.HasPrefix(name, mcpconv.SpanHook), name == mcpconv.SpanTurn, mcpconv.IsModelCall(operation), n.ownSources(m):
		n.Agent = agentNamed(facts.Str(m, mcpconv.ClientName), service)
	case facts.Str(m, mcpconv.RPCMethod) != "" && n.Wire == "":
		n.Wire = mcpconv.AgentOfClient(service)
	}
	return *n != before
}

// ownSources reports whether the agent itself is among the sources.
func (n *Nature) ownSources(m pcommon.Map) bool {
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
		if mcpconv.IsCodingAgent(name) {
			return name
		}
	}
	return ""
}

// Named is the agent that the session is of, "" if that is not known.
func (n *Nature) Named() string { return cmp.Or(n.Agent, n.Wire) }

// IsWire reports whether the session is nothing but a connection.
func (n *Nature) IsWire() bool { return n.Wire != "" && n.Agent == "" && !n.named }
