package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// mcpCat is the dialect of MCPCat.
var mcpCat = Dialect{
	Name: "mcpcat", Title: "MCPCat",
	Source: "MCPCat/mcpcat-typescript-sdk src/modules/exporters/otlp.ts @0c00660",
	Detect: Detect{Keys: []string{"mcp.event_type"}, Scopes: []string{"mcpcat"}},
	Keys: []Key{
		{From: "mcp.event_type", To: RawKind},
		{From: "mcp.resource_name", To: RawID},
		{From: "mcp.session_id", To: MCPSession},
		{From: "mcp.actor_id", To: UserID},
		{From: "mcp.client_name", To: ClientName},
		{From: "mcp.client_version", To: ClientVersion},
	},
	Contents: []string{"mcp.user_intent"},
	Finish: func(s *Span) {
		if method, ok := strings.CutPrefix(s.Text(RawKind), "mcp:"); ok {
			s.AddText(Method, method)
			s.Use(RawKind)
		}
		switch s.Text(Method) {
		case mcpconv.MethodToolsCall:
			s.Move(ToolName, RawID)
		case mcpconv.MethodPromptsGet:
			s.Move(PromptName, RawID)
		case mcpconv.MethodResourcesRead:
			s.Move(ResourceURI, RawID)
		}
	},
	Notes: []string{"`mcp.event_type` is `mcp:` and the method. `mcp.resource_name` is the tool, the prompt or the resource."},
}
