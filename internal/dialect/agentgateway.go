package dialect

// agentgateway is the dialect of agentgateway.
var agentgateway = Dialect{
	Name: "agentgateway", Title: "agentgateway",
	Source: "agentgateway/agentgateway crates/agentgateway/src/telemetry/log.rs",
	Detect: Detect{Keys: []string{"mcp.target", "mcp.resource.type"}, Scopes: []string{"agentgateway"}},
	Keys: []Key{
		{From: "mcp.target", To: ServerName},
		{From: "mcp.error.code", To: RawID},
		{From: "mcp.error.message", To: RawMore},
		{From: "mcp.method", To: Method, As: ReadMethod},
	},
	Finish: func(s *Span) {
		if code := s.Text(RawID); IsCode(code) {
			s.AddText(StatusCode, code)
			s.Failed = true
		}
		s.ErrorText = s.Text(RawMore)
		MarkClientFault(s)
	},
	Notes: []string{"`mcp.error.code` is the code of JSON-RPC: it becomes `rpc.response.status_code` and `error.type`, and `mcp.error.message` the text of the status."},
}
