package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var logfire = Dialect{
	Name: "logfire", Title: "Pydantic Logfire",
	Source: "pydantic/logfire logfire/_internal/integrations/mcp.py @02ecbe6",
	Detect: Detect{
		Names: []string{"MCP request: *", "MCP server handle request: *", "MCP client handle request: *"}, With: []string{"rpc.system"},
		Events: []string{"MCP server log*"},
	},
	Keys: []Key{
		{From: "rpc.method", To: Method, As: readMethod},
		{From: "rpc.jsonrpc.version", To: JSONRPCVersion},
		{From: "rpc.jsonrpc.request_id", To: RequestID},
		{From: "request", To: RawParams},
		{From: "response", To: RawOutput},
		{From: "data", To: LogData},
	},
	Finish: func(s *Span) {
		if s.IsLog {
			return
		}
		s.WantKind = client
		if strings.Contains(s.Name, " handle request") {
			s.WantKind = server
		}
		jsonRequest(s, messages.Valid(s.JSON(RawParams)))
		jsonResult(s, messages.Valid(s.JSON(RawOutput)))
	},
	Notes: []string{"`request` and `response` are JSON: method, tool, arguments, result and `isError` are taken out of them."},
}

// jsonRequest takes what a request of MCP names.
func jsonRequest(s *Span, request messages.Value) {
	if inner := messages.Member(request, "root"); inner.IsObject() { // as the Python SDK nests it
		request = inner
	}
	s.AddText(Method, messages.Member(request, "method").Str())
	parameters := messages.Member(request, "params")
	name := messages.Member(parameters, "name").Str()
	switch s.Text(Method) {
	case mcpconv.MethodToolsCall:
		s.AddText(ToolName, name)
		s.AddText(ToolArguments, string(messages.Member(parameters, "arguments")))
	case mcpconv.MethodPromptsGet:
		s.AddText(PromptName, name)
	case mcpconv.MethodResourcesRead:
		s.AddText(ResourceURI, messages.Member(parameters, "uri").Str())
	}
}

// jsonResult takes the result of a call of a tool.
func jsonResult(s *Span, result messages.Value) {
	if inner := messages.Member(result, "root"); inner.IsObject() {
		result = inner
	}
	if s.Text(Method) != mcpconv.MethodToolsCall || !result.IsObject() {
		return
	}
	s.AddText(ToolResult, string(result))
	s.Use(RawOutput)
	if messages.Member(result, "isError").IsTrue() {
		toolError(s)
	}
}
