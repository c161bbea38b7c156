package dialect

// toolHive is the dialect of ToolHive.
var toolHive = Dialect{
	Name: "toolhive", Title: "ToolHive",
	Source: "stacklok/toolhive docs/observability.md @0bbe104",
	Detect: Detect{Keys: []string{"mcp.is_batch", "mcp.backend.protocol.version"}, Scopes: []string{"github.com/stacklok/toolhive*"}},
	Keys: []Key{
		{From: "mcp.backend.protocol.version", To: ProtocolVersion},
		{From: "mcp.method", To: Method, As: ReadMethod},
		{From: "mcp.request.id", To: RequestID},
		{From: "mcp.tool.name", To: ToolName},
		{From: "mcp.tool.arguments", To: ToolArguments},
		{From: "mcp.prompt.name", To: PromptName},
		{From: "mcp.transport", To: Transport, As: ReadTransport},
		{From: "rpc.jsonrpc.version", To: JSONRPCVersion},
	},
	Finish: func(s *Span) { MarkClientFault(s) },
	Notes:  []string{"A span `sse.connection_established` is no call."},
}
