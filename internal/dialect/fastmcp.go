package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// fastMCP is the dialect of FastMCP.
var fastMCP = Dialect{
	Name: "fastmcp", Title: "FastMCP",
	Source: "PrefectHQ/fastmcp src/fastmcp/server/telemetry.py @190b608",
	Detect: Detect{Keys: []string{"fastmcp.server.name", "fastmcp.component.*"}, Scopes: []string{"fastmcp"}},
	Keys: []Key{
		{From: "fastmcp.server.name", To: ServerName},
		{From: "enduser.id", To: UserID},
		{From: "fastmcp.component.type", To: RawKind},
		{From: "fastmcp.component.key", To: RawID},
	},
	Finish: func(s *Span) {
		if strings.HasPrefix(s.Name, "delegate ") {
			DropOperation(s, mcpconv.RepeatsCall)
			return
		}
		if s.Text(Method) == mcpconv.MethodToolsCall && s.Text(RawKind) == "tool" {
			key := s.Text(RawID)
			s.AddText(ToolName, strings.TrimPrefix(key, "tool:"))
		}
		MarkClientFault(s)
	},
	Notes: []string{"A span `delegate {name}` is the way of a call to a mounted server, and no second call: it gets `mcp.dialect.repeats=call` and no operation."},
}
