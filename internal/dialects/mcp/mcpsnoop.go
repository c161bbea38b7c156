package mcp

import "github.com/otelcol-mcp/otelcol-mcp/internal/dialect"

// MCPSnoop is the dialect of mcpsnoop.
var MCPSnoop = dialect.Dialect{
	Name: "mcpsnoop", Title: "mcpsnoop",
	Source: "kerlenton/mcpsnoop, WriteOTLP, before it wrote the keys of the conventions, too",
	Detect: dialect.Detect{Keys: []string{"mcpsnoop.*"}},
	Keys: []dialect.Key{
		{From: "rpc.method", To: dialect.Method, As: dialect.ReadMethod},
		{From: "mcpsnoop.call.id", To: dialect.RequestID},
		{From: "mcpsnoop.call.tool_name", To: dialect.ToolName},
		{From: "mcpsnoop.call.is_error", To: dialect.RawKind},
		{From: "mcpsnoop.call.tool_error", To: dialect.RawFlag},
	},
	Finish: func(s *dialect.Span) {
		if s.True(dialect.RawFlag) {
			dialect.MarkToolError(s)
		}
		s.Failed = s.Failed || s.True(dialect.RawKind)
	},
	Notes: []string{"`mcpsnoop.call.tool_error` means `error.type=tool_error`, and `mcpsnoop.call.is_error` the status Error."},
}
