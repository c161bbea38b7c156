package mcp

import "github.com/otelcol-mcp/otelcol-mcp/internal/dialect"

// Agentgateway is the dialect of agentgateway.
var Agentgateway = dialect.Dialect{
	Name: "agentgateway", Title: "agentgateway",
	Source: "agentgateway/agentgateway crates/agentgateway/src/telemetry/log.rs",
	Detect: dialect.Detect{Keys: []string{"mcp.target", "mcp.resource.type"}, Scopes: []string{"agentgateway"}},
	Keys: []dialect.Key{
		{From: "mcp.target", To: dialect.ServerName},
		{From: "mcp.error.code", To: dialect.RawID},
		{From: "mcp.error.message", To: dialect.RawMore},
		{From: "mcp.method", To: dialect.Method, As: dialect.ReadMethod},
	},
	Finish: func(s *dialect.Span) {
		if code := s.Text(dialect.RawID); dialect.IsCode(code) {
			s.AddText(dialect.StatusCode, code)
			s.Failed = true
		}
		s.ErrorText = s.Text(dialect.RawMore)
		dialect.MarkClientFault(s)
	},
	Notes: []string{"`mcp.error.code` is the code of JSON-RPC: it becomes `rpc.response.status_code` and `error.type`, and `mcp.error.message` the text of the status."},
}
