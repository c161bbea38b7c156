package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// docker is the dialect of Docker MCP Gateway.
var docker = Dialect{
	Name: "docker_gateway", Title: "Docker MCP Gateway",
	Source: "docker/mcp-gateway pkg/telemetry/telemetry.go @0087dc9",
	Detect: Detect{Names: []string{
		"mcp.tool.call", "mcp.prompt.get", "mcp.resource.read", "mcp.resource_template.read", "mcp.initialize", "mcp.list.tools",
		"mcp.list.prompts", "mcp.list.resources", "mcp.list.resource_templates",
	}},
	Keys: []Key{
		{From: "mcp.tool.name", To: ToolName},
		{From: "mcp.prompt.name", To: PromptName},
		{From: "mcp.resource_template.uri", To: ResourceURI},
	},
	Finish: func(s *Span) { s.AddText(Method, dockerMethods[s.Name]) },
	Notes:  []string{"The method is that of the span's name: `mcp.tool.call` is `tools/call`, `mcp.list.tools` is `tools/list` and so on. Spans of commands and interceptors are no calls."},
}

var dockerMethods = map[string]string{
	"mcp.tool.call": mcpconv.MethodToolsCall, "mcp.prompt.get": mcpconv.MethodPromptsGet, "mcp.resource.read": mcpconv.MethodResourcesRead,
	"mcp.resource_template.read": mcpconv.MethodResourcesRead, "mcp.initialize": mcpconv.MethodInitialize,
	"mcp.list.tools": mcpconv.MethodToolsList, "mcp.list.prompts": "prompts/list", "mcp.list.resources": "resources/list",
	"mcp.list.resource_templates": "resources/templates/list",
}
