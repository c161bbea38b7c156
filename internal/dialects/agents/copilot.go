package agents

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Copilot is the dialect of VS Code Copilot, Copilot CLI.
var Copilot = dialect.Dialect{
	Name: "copilot", Title: "VS Code Copilot, Copilot CLI",
	Source: "microsoft/vscode extensions/copilot/docs/monitoring/agent_monitoring.md",
	Detect: dialect.Detect{
		Scopes: []string{"github.copilot*", "copilot-chat*"}, Services: []string{"github-copilot", "copilot-chat", "vscode-agent-host"},
		Events: []string{"copilot_chat.*"}, Keys: []string{"github.copilot.*"},
	},
	Keys: []dialect.Key{
		{From: "github.copilot.tool.parameters.mcp_server_name", To: dialect.ServerName},
		{From: "github.copilot.tool.parameters.mcp_tool_name", To: dialect.RawID},
	},
	Finish: func(s *dialect.Span) {
		if s.Has(dialect.RawID) {
			s.AddText(dialect.ToolName, s.Text(dialect.RawID))
			s.AddText(dialect.ToolType, mcpconv.ToolTypeMCP)
		}
	},
	Notes: []string{"Copilot keeps to the conventions. Only the names of MCP servers and tools are translated."},
}
