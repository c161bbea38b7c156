package mcp

import "github.com/otelcol-mcp/otelcol-mcp/internal/dialect"

// ToolHive is the dialect of ToolHive.
var ToolHive = dialect.Dialect{
	Name: "toolhive", Title: "ToolHive",
	Source: "stacklok/toolhive docs/observability.md @0bbe104",
	Detect: dialect.Detect{Keys: []string{"mcp.is_batch", "mcp.backend.protocol.version"}, Scopes: []string{"github.com/stacklok/toolhive*"}},
	Keys: []dialect.Key{
		{From: "mcp.backend.protocol.version", To: dialect.ProtocolVersion},
		{From: "mcp.method", To: dialect.Method, As: dialect.ReadMethod},
		{From: "mcp.request.id", To: dialect.RequestID},
		{From: "mcp.tool.name", To: dialect.ToolName},
		{From: "mcp.tool.arguments", To: dialect.ToolArguments},
		{From: "mcp.prompt.name", To: dialect.PromptName},
		{From: "mcp.transport", To: dialect.Transport, As: dialect.ReadTransport},
		{From: "rpc.jsonrpc.version", To: dialect.JSONRPCVersion},
	},
	Finish: func(s *dialect.Span) { dialect.MarkClientFault(s) },
	Notes:  []string{"A span `sse.connection_established` is no call."},
}
