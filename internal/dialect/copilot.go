package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// copilot is the dialect of VS Code Copilot, Copilot CLI.
var copilot = Dialect{
	Name: "copilot", Title: "VS Code Copilot, Copilot CLI",
	Source: "microsoft/vscode extensions/copilot/docs/monitoring/agent_monitoring.md",
	Detect: Detect{
		Scopes: []string{"github.copilot*", "copilot-chat*"}, Services: []string{"github-copilot", "copilot-chat", "vscode-agent-host"},
		Events: []string{"copilot_chat.*"}, Keys: []string{"github.copilot.*"},
	},
	Keys: []Key{
		{From: "github.copilot.tool.parameters.mcp_server_name", To: ServerName},
		{From: "github.copilot.tool.parameters.mcp_tool_name", To: RawID},
	},
	Finish: func(s *Span) {
		if s.Has(RawID) {
			s.AddText(ToolName, s.Text(RawID))
			s.AddText(ToolType, mcpconv.ToolTypeMCP)
		}
	},
	Notes: []string{"Copilot keeps to the conventions. Only the names of MCP servers and tools are translated."},
}
