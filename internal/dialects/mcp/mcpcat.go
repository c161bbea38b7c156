package mcp

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// MCPCat is the dialect of MCPCat.
var MCPCat = dialect.Dialect{
	Name: "mcpcat", Title: "MCPCat",
	Source: "MCPCat/mcpcat-typescript-sdk src/modules/exporters/otlp.ts @0c00660",
	Detect: dialect.Detect{Keys: []string{"mcp.event_type"}, Scopes: []string{"mcpcat"}},
	Keys: []dialect.Key{
		{From: "mcp.event_type", To: dialect.RawKind},
		{From: "mcp.resource_name", To: dialect.RawID},
		{From: "mcp.session_id", To: dialect.MCPSession},
		{From: "mcp.actor_id", To: dialect.UserID},
		{From: "mcp.client_name", To: dialect.ClientName},
		{From: "mcp.client_version", To: dialect.ClientVersion},
	},
	Contents: []string{"mcp.user_intent"},
	Finish: func(s *dialect.Span) {
		if method, ok := strings.CutPrefix(s.Text(dialect.RawKind), "mcp:"); ok {
			s.AddText(dialect.Method, method)
			s.Use(dialect.RawKind)
		}
		switch s.Text(dialect.Method) {
		case mcpconv.MethodToolsCall:
			s.Move(dialect.ToolName, dialect.RawID)
		case mcpconv.MethodPromptsGet:
			s.Move(dialect.PromptName, dialect.RawID)
		case mcpconv.MethodResourcesRead:
			s.Move(dialect.ResourceURI, dialect.RawID)
		}
	},
	Notes: []string{"`mcp.event_type` is `mcp:` and the method. `mcp.resource_name` is the tool, the prompt or the resource."},
}
