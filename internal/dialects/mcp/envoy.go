package mcp

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/value"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Envoy is the dialect of Envoy AI Gateway, legacy spans.
var Envoy = dialect.Dialect{
	Name: "envoy", Title: "Envoy AI Gateway, legacy spans",
	Source: "envoyproxy/ai-gateway internal/tracing/mcp.go, mcp_legacy.go @0510a61",
	Detect: dialect.Detect{Names: []string{
		"Initialize", "Ping", "ListTools", "CallTool", "ListPrompts", "GetPrompt", "ListResources", "ReadResource", "Subscribe",
		"Unsubscribe", "ListResourceTemplates", "SetLoggingLevel", "Complete", "notifications/*", "roots/list",
		mcpconv.MethodSampling, mcpconv.MethodElicitation,
	}, With: []string{"mcp.request.id", "mcp.transport"}},
	Keys: []dialect.Key{
		{From: "mcp.request.id", To: dialect.RequestID, As: readEnvoyID},
		{From: "mcp.tool.name", To: dialect.ToolName},
		{From: "mcp.prompt.name", To: dialect.PromptName},
		{From: "mcp.transport", To: dialect.Transport, As: dialect.ReadTransport},
		{From: "mcp.logging.level", To: dialect.LogLevel},
		{From: "mcp.notifications.progress", To: dialect.Progress},
		{From: "mcp.notifications.progress.token", To: dialect.ProgressToken},
		{From: "mcp.notifications.progress.message", To: dialect.ProgressMessage},
		{From: "mcp.protocol.version", To: dialect.RawFlag, As: func(*dialect.Span, dialect.Field, pcommon.Value) {}},
	},
	Finish: func(s *dialect.Span) {
		s.AddText(dialect.Method, cmp.Or(envoyMethods[s.Name], s.Name))
		if !s.IsLog {
			backend(s)
		}
		dialect.TakeException(s)
	},
	Notes: []string{
		"The method is that of the span's name: `CallTool` is `tools/call`, `ListTools` is `tools/list` and so on; others are named after their method.",
		"`mcp.request.id` is written as `{2}`: the id is 2. A notification has none.",
		"Backend and session are taken from the event `route to backend`, and errors from the event `exception`.",
		"`mcp.protocol.version` is a constant there, and says nothing of the protocol that was spoken.",
	},
}

var envoyMethods = map[string]string{
	"Initialize": mcpconv.MethodInitialize, "Ping": mcpconv.MethodPing, "ListTools": mcpconv.MethodToolsList, "CallTool": mcpconv.MethodToolsCall,
	"ListPrompts": "prompts/list", "GetPrompt": mcpconv.MethodPromptsGet, "ListResources": "resources/list",
	"ReadResource": mcpconv.MethodResourcesRead, "Subscribe": "resources/subscribe", "Unsubscribe": "resources/unsubscribe",
	"ListResourceTemplates": "resources/templates/list", "SetLoggingLevel": mcpconv.MethodSetLevel, "Complete": "completion/complete",
}

// readEnvoyID reads the id of a request, which the gateway prints as a structure of Go.
func readEnvoyID(s *dialect.Span, f dialect.Field, v pcommon.Value) {
	id := value.TextOf(v)
	if inner, ok := strings.CutPrefix(id, "{"); ok && strings.HasSuffix(inner, "}") {
		id = inner[:len(inner)-1]
	}
	if id != "<nil>" {
		s.AddText(f, id)
	}
}

// backend reads which server a request was sent to.
func backend(s *dialect.Span) {
	for _, event := range s.Events.All() {
		if event.Name() != "route to backend" {
			continue
		}
		s.AddText(dialect.ServerName, dialect.StringIn(event.Attributes(), "mcp.backend.name"))
		s.AddText(dialect.MCPSession, dialect.StringIn(event.Attributes(), "mcp.session.id"))
	}
}
