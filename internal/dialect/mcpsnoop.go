package dialect

// mcpSnoop is the dialect of mcpsnoop.
var mcpSnoop = Dialect{
	Name: "mcpsnoop", Title: "mcpsnoop",
	Source: "kerlenton/mcpsnoop, WriteOTLP, before it wrote the keys of the conventions, too",
	Detect: Detect{Keys: []string{"mcpsnoop.*"}},
	Keys: []Key{
		{From: "rpc.method", To: Method, As: ReadMethod},
		{From: "mcpsnoop.call.id", To: RequestID},
		{From: "mcpsnoop.call.tool_name", To: ToolName},
		{From: "mcpsnoop.call.is_error", To: RawKind},
		{From: "mcpsnoop.call.tool_error", To: RawFlag},
	},
	Finish: func(s *Span) {
		if s.True(RawFlag) {
			MarkToolError(s)
		}
		s.Failed = s.Failed || s.True(RawKind)
	},
	Notes: []string{"`mcpsnoop.call.tool_error` means `error.type=tool_error`, and `mcpsnoop.call.is_error` the status Error."},
}
