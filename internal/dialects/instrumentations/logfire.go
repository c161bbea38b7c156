package instrumentations

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Logfire is the dialect of Pydantic Logfire.
var Logfire = dialect.Dialect{
	Name: "logfire", Title: "Pydantic Logfire",
	Source: "pydantic/logfire logfire/_internal/integrations/mcp.py @02ecbe6",
	Detect: dialect.Detect{
		Names: []string{"MCP request: *", "MCP server handle request: *", "MCP client handle request: *"}, With: []string{"rpc.system"},
		Events: []string{"MCP server log*"},
	},
	Keys: []dialect.Key{
		{From: "rpc.method", To: dialect.Method, As: dialect.ReadMethod},
		{From: "rpc.jsonrpc.version", To: dialect.JSONRPCVersion},
		{From: "rpc.jsonrpc.request_id", To: dialect.RequestID},
		{From: "request", To: dialect.RawParams},
		{From: "response", To: dialect.RawOutput},
		{From: "data", To: dialect.LogData},
	},
	Finish: func(s *dialect.Span) {
		if s.IsLog {
			return
		}
		s.WantKind = ptrace.SpanKindClient
		if strings.Contains(s.Name, " handle request") {
			s.WantKind = ptrace.SpanKindServer
		}
		jsonRequest(s, messages.Valid(s.JSON(dialect.RawParams)))
		jsonResult(s, messages.Valid(s.JSON(dialect.RawOutput)))
	},
	Notes: []string{"`request` and `response` are JSON: method, tool, arguments, result and `isError` are taken out of them."},
}

// jsonRequest takes what a request of MCP names.
func jsonRequest(s *dialect.Span, request messages.Value) {
	if inner := messages.Member(request, "root"); inner.IsObject() { // as the Python SDK nests it
		request = inner
	}
	s.AddText(dialect.Method, messages.Member(request, "method").Str())
	parameters := messages.Member(request, "params")
	name := messages.Member(parameters, "name").Str()
	switch s.Text(dialect.Method) {
	case mcpconv.MethodToolsCall:
		s.AddText(dialect.ToolName, name)
		s.AddText(dialect.ToolArguments, string(messages.Member(parameters, "arguments")))
	case mcpconv.MethodPromptsGet:
		s.AddText(dialect.PromptName, name)
	case mcpconv.MethodResourcesRead:
		s.AddText(dialect.ResourceURI, messages.Member(parameters, "uri").Str())
	}
}

// jsonResult takes the result of a call of a tool.
func jsonResult(s *dialect.Span, result messages.Value) {
	if inner := messages.Member(result, "root"); inner.IsObject() {
		result = inner
	}
	if s.Text(dialect.Method) != mcpconv.MethodToolsCall || !result.IsObject() {
		return
	}
	s.AddText(dialect.ToolResult, string(result))
	s.Use(dialect.RawOutput)
	if messages.Member(result, "isError").IsTrue() {
		dialect.MarkToolError(s)
	}
}
