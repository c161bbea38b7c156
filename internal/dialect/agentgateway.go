package dialect

var agentgateway = Dialect{
	Name: "agentgateway", Title: "agentgateway",
	Source: "agentgateway/agentgateway crates/agentgateway/src/telemetry/log.rs",
	Detect: Detect{Keys: []string{"mcp.target", "mcp.resource.type"}, Scopes: []string{"agentgateway"}},
	Keys: []Key{
		{From: "mcp.target", To: ServerName},
		{From: "mcp.error.code", To: RawID},
		{From: "mcp.error.message", To: RawMore},
		{From: "mcp.method", To: Method, As: readMethod},
	},
	Finish: func(s *Span) {
		if code := s.Text(RawID); isCode(code) {
			s.AddText(StatusCode, code)
			s.Failed = true
		}
		s.ErrorText = s.Text(RawMore)
		clientFault(s)
	},
	Notes: []string{"`mcp.error.code` is the code of JSON-RPC: it becomes `rpc.response.status_code` and `error.type`, and `mcp.error.message` the text of the status."},
}

// isCode reports whether a text is a number, as codes of JSON-RPC are.
func isCode(text string) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && len(text) < 12
}
