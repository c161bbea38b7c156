package dialect

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// cSharp is the dialect of MCP C# SDK.
var cSharp = Dialect{
	Name: "csharp_sdk", Title: "MCP C# SDK",
	Source: "modelcontextprotocol/csharp-sdk src/ModelContextProtocol.Core/Diagnostics.cs, McpSessionHandler.cs",
	Detect: Detect{Scopes: []string{"Experimental.ModelContextProtocol"}},
	Finish: func(s *Span) {
		if s.Status == ptrace.StatusCodeError && isContent(s.Message) {
			s.ContentStatus = true
			s.AddText(ErrorType, mcpconv.TypeToolError)
		}
		MarkClientFault(s)
	},
	Notes: []string{
		"It keeps to the conventions. If a tool fails, the text of the status is the whole result: it moves to `mcp.dialect.status_message`, and `error.type` is `tool_error` unless there is one.",
		"Faults of the client are no errors of a server's span.",
	},
}

// isContent reports whether a text is the content of a tool's result.
func isContent(text string) bool {
	return len(text) > 2 && (text[0] == '[' && text[1] == '{' || text[0] == '{' && text[1] == '"')
}
