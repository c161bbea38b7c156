package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// envoy is the dialect of Envoy AI Gateway, legacy spans.
var envoy = Dialect{
	Name: "envoy", Title: "Envoy AI Gateway, legacy spans",
	Source: "envoyproxy/ai-gateway internal/tracing/mcp.go, mcp_legacy.go @0510a61",
	Detect: Detect{Names: []string{
		"Initialize", "Ping", "ListTools", "CallTool", "ListPrompts", "GetPrompt", "ListResources", "ReadResource", "Subscribe",
		"Unsubscribe", "ListResourceTemplates", "SetLoggingLevel", "Complete", "notifications/*", "roots/list",
		mcpconv.MethodSampling, mcpconv.MethodElicitation,
	}, With: []string{"mcp.request.id", "mcp.transport"}},
	Keys: []Key{
		{From: "mcp.request.id", To: RequestID, As: readEnvoyID},
		{From: "mcp.tool.name", To: ToolName},
		{From: "mcp.prompt.name", To: PromptName},
		{From: "mcp.transport", To: Transport, As: ReadTransport},
		{From: "mcp.logging.level", To: LogLevel},
		{From: "mcp.notifications.progress", To: Progress},
		{From: "mcp.notifications.progress.token", To: ProgressToken},
		{From: "mcp.notifications.progress.message", To: ProgressMessage},
		{From: "mcp.protocol.version", To: RawFlag, As: func(*Span, Field, pcommon.Value) {}},
	},
	Finish: func(s *Span) {
		s.AddText(Method, cmp.Or(envoyMethods[s.Name], s.Name))
		if !s.IsLog {
			backend(s)
		}
		TakeException(s)
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
func readEnvoyID(s *Span, f Field, v pcommon.Value) {
	id := TextOf(v)
	if inner, ok := strings.CutPrefix(id, "{"); ok && strings.HasSuffix(inner, "}") {
		id = inner[:len(inner)-1]
	}
	if id != "<nil>" {
		s.AddText(f, id)
	}
}

// backend reads which server a request was sent to.
func backend(s *Span) {
	for _, event := range s.Events.All() {
		if event.Name() != "route to backend" {
			continue
		}
		s.AddText(ServerName, StringIn(event.Attributes(), "mcp.backend.name"))
		s.AddText(MCPSession, StringIn(event.Attributes(), "mcp.session.id"))
	}
}
