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
		Scopes: []string{"logfire.mcp"},
		// The spans of who is asked have a request, and no rpc.system.
		Names: []string{"MCP request: *", "MCP server handle request: *", "MCP client handle request: *"}, With: []string{"request"},
		Events: []string{serverLog + "*"},
	},
	Keys: []dialect.Key{
		{From: "rpc.method", To: dialect.Method, As: dialect.ReadMethod},
		{From: "rpc.jsonrpc.version", To: dialect.JSONRPCVersion},
		{From: "rpc.jsonrpc.request_id", To: dialect.RequestID},
		{From: "request", To: dialect.RawParams},
		{From: "response", To: dialect.RawOutput},
		{From: "data", To: dialect.LogData},
	},
	Finish: finishLogfire,
	Notes: []string{
		"`request` and `response` are JSON: id, method, tool, arguments, result and `isError` are taken out of them, or the code and the text of an error.",
		"Faults of the client are no errors of the span of who was asked.",
		"Logfire writes a log record as a span: `MCP server log` is no call.",
	},
}

// serverLog begins the name of what a server's log message becomes.
const serverLog = "MCP server log"

func finishLogfire(s *dialect.Span) {
	if s.IsLog || strings.HasPrefix(s.Name, serverLog) {
		return
	}
	s.WantKind = ptrace.SpanKindClient
	if strings.Contains(s.Name, " handle request") {
		s.WantKind = ptrace.SpanKindServer
	}
	jsonRequest(s, messages.Valid(s.JSON(dialect.RawParams)))
	jsonResponse(s, messages.Valid(s.JSON(dialect.RawOutput)))
	dialect.MarkClientFault(s)
}

// jsonRequest takes what a request of MCP names.
func jsonRequest(s *dialect.Span, request messages.Value) {
	if inner := messages.Member(request, "root"); inner.IsObject() { // as the Python SDK nests it
		request = inner
	}
	s.AddText(dialect.Method, messages.Member(request, "method").Str())
	s.AddText(dialect.RequestID, messages.Member(request, "id").Text())
	s.AddText(dialect.JSONRPCVersion, messages.Member(request, "jsonrpc").Str())
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

// jsonResponse takes the result of a call of a tool, or the error of any request.
func jsonResponse(s *dialect.Span, response messages.Value) {
	if inner := messages.Member(response, "root"); inner.IsObject() {
		response = inner
	}
	if code := messages.Member(response, "code").Text(); dialect.IsCode(code) && messages.Member(response, "message").IsString() {
		s.AddText(dialect.StatusCode, code)
		s.Failed, s.ErrorText = true, messages.Member(response, "message").Str()
		return
	}
	if s.Text(dialect.Method) != mcpconv.MethodToolsCall || !response.IsObject() {
		return
	}
	s.AddText(dialect.ToolResult, string(response))
	s.Use(dialect.RawOutput)
	if messages.Member(response, "isError").IsTrue() {
		dialect.MarkToolError(s)
	}
}
