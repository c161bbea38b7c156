package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var envoy = Dialect{
	Name: "envoy", Title: "Envoy AI Gateway, legacy spans",
	Source: "envoyproxy/ai-gateway internal/tracing/mcp.go, mcp_legacy.go @0510a61",
	Detect: Detect{Names: []string{
		"Initialize", "Ping", "ListTools", "CallTool", "ListPrompts", "GetPrompt", "ListResources", "ReadResource", "Subscribe",
		"Unsubscribe", "ListResourceTemplates", "SetLoggingLevel", "Complete", "NotificationProgress", "NotificationCancelled",
		"NotificationInitialized", "NotificationRootsListChanged",
	}, With: []string{"mcp.request.id", "mcp.transport"}},
	Keys: []Key{
		{From: "mcp.request.id", To: RequestID},
		{From: "mcp.tool.name", To: ToolName},
		{From: "mcp.prompt.name", To: PromptName},
		{From: "mcp.transport", To: Transport, As: readTransport},
		{From: "mcp.logging.level", To: LogLevel},
		{From: "mcp.notifications.progress", To: Progress},
		{From: "mcp.notifications.progress.token", To: ProgressToken},
		{From: "mcp.notifications.progress.message", To: ProgressMessage},
		{From: "mcp.protocol.version", To: RawFlag, As: func(*Span, Field, pcommon.Value) {}},
	},
	Finish: func(s *Span) {
		s.AddText(Method, envoyMethods[s.Name])
		if !s.IsLog {
			backend(s)
		}
		exception(s)
	},
	Notes: []string{
		"The method is that of the span's name: `CallTool` is `tools/call`, `ListTools` is `tools/list` and so on.",
		"Backend and session are taken from the event `route to backend`, and errors from the event `exception`.",
		"`mcp.protocol.version` is a constant there, and says nothing of the protocol that was spoken.",
	},
}

var envoyMethods = map[string]string{
	"Initialize": mcpconv.MethodInitialize, "Ping": mcpconv.MethodPing, "ListTools": mcpconv.MethodToolsList, "CallTool": mcpconv.MethodToolsCall,
	"ListPrompts": "prompts/list", "GetPrompt": mcpconv.MethodPromptsGet, "ListResources": "resources/list",
	"ReadResource": mcpconv.MethodResourcesRead, "Subscribe": "resources/subscribe", "Unsubscribe": "resources/unsubscribe",
	"ListResourceTemplates": "resources/templates/list", "SetLoggingLevel": mcpconv.MethodSetLevel, "Complete": "completion/complete",
	"NotificationProgress": mcpconv.NotificationProgress, "NotificationCancelled": mcpconv.NotificationCancelled,
	"NotificationInitialized": mcpconv.NotificationInited, "NotificationRootsListChanged": "notifications/roots/list_changed",
}

// backend reads which server a request was sent to.
func backend(s *Span) {
	for _, event := range s.Events.All() {
		if event.Name() != "route to backend" {
			continue
		}
		s.AddText(ServerName, strIn(event.Attributes(), "mcp.backend.name"))
		s.AddText(MCPSession, strIn(event.Attributes(), "mcp.session.id"))
	}
}

var toolHive = Dialect{
	Name: "toolhive", Title: "ToolHive",
	Source: "stacklok/toolhive docs/observability.md @0bbe104",
	Detect: Detect{Keys: []string{"mcp.is_batch", "mcp.backend.protocol.version"}, Scopes: []string{"github.com/stacklok/toolhive*"}},
	Keys: []Key{
		{From: "mcp.backend.protocol.version", To: ProtocolVersion},
		{From: "mcp.method", To: Method, As: readMethod},
		{From: "mcp.request.id", To: RequestID},
		{From: "mcp.tool.name", To: ToolName},
		{From: "mcp.tool.arguments", To: ToolArguments},
		{From: "mcp.prompt.name", To: PromptName},
		{From: "mcp.transport", To: Transport, As: readTransport},
		{From: "rpc.jsonrpc.version", To: JSONRPCVersion},
	},
	Finish: func(s *Span) { clientFault(s) },
	Notes:  []string{"A span `sse.connection_established` is no call."},
}

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
