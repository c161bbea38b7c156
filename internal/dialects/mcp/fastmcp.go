package mcp

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// FastMCP is the dialect of FastMCP.
var FastMCP = dialect.Dialect{
	Name: "fastmcp", Title: "FastMCP",
	Source: "PrefectHQ/fastmcp src/fastmcp/server/telemetry.py @190b608",
	Detect: dialect.Detect{Keys: []string{"fastmcp.server.name", "fastmcp.component.*"}, Scopes: []string{"fastmcp"}},
	Keys: []dialect.Key{
		{From: "fastmcp.server.name", To: dialect.ServerName},
		{From: "enduser.id", To: dialect.UserID},
		{From: "fastmcp.component.type", To: dialect.RawKind},
		{From: "fastmcp.component.key", To: dialect.RawID},
	},
	Finish: func(s *dialect.Span) {
		if strings.HasPrefix(s.Name, "delegate ") {
			dialect.DropOperation(s, mcpconv.RepeatsCall)
			return
		}
		if s.Text(dialect.Method) == mcpconv.MethodToolsCall && s.Text(dialect.RawKind) == "tool" {
			key := s.Text(dialect.RawID)
			s.AddText(dialect.ToolName, strings.TrimPrefix(key, "tool:"))
		}
		dialect.MarkClientFault(s)
	},
	Notes: []string{"A span `delegate {name}` is the way of a call to a mounted server, and no second call: it gets `mcp.dialect.repeats=call` and no operation."},
}
