package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// logfire is the dialect of Pydantic Logfire.
var logfire = Dialect{
	Name: "logfire", Title: "Pydantic Logfire",
	Source: "pydantic/logfire logfire/_internal/integrations/mcp.py @02ecbe6",
	Detect: Detect{
		Scopes: []string{"logfire.mcp"},
		// The spans of who is asked have a request, and no rpc.system.
		Names: []string{"MCP request: *", "MCP server handle request: *", "MCP client handle request: *"}, With: []string{"request"},
		Events: []string{serverLog + "*"},
	},
	Keys: []Key{
		{From: "rpc.method", To: Method, As: ReadMethod},
		{From: "rpc.jsonrpc.version", To: JSONRPCVersion},
		{From: "rpc.jsonrpc.request_id", To: RequestID},
		{From: "request", To: RawParams},
		{From: "response", To: RawOutput},
		{From: "data", To: LogData},
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

func finishLogfire(s *Span) {
	if s.IsLog || strings.HasPrefix(s.Name, serverLog) {
		return
	}
	s.WantKind = ptrace.SpanKindClient
	if strings.Contains(s.Name, " handle request") {
		s.WantKind = ptrace.SpanKindServer
	}
	jsonRequest(s, messages.Valid(s.JSON(RawParams)))
	jsonResponse(s, messages.Valid(s.JSON(RawOutput)))
	MarkClientFault(s)
}

// jsonRequest takes what a request of MCP names.
func jsonRequest(s *Span, request messages.Value) {
	if inner := messages.Member(request, "root"); inner.IsObject() { // as the Python SDK nests it
		request = inner
	}
	s.AddText(Method, messages.Member(request, "method").Str())
	s.AddText(RequestID, messages.Member(request, "id").Text())
	s.AddText(JSONRPCVersion, messages.Member(request, "jsonrpc").Str())
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

// jsonResponse takes the result of a call of a tool, or the error of any request.
func jsonResponse(s *Span, response messages.Value) {
	if inner := messages.Member(response, "root"); inner.IsObject() {
		response = inner
	}
	if code := messages.Member(response, "code").Text(); IsCode(code) && messages.Member(response, "message").IsString() {
		s.AddText(StatusCode, code)
		s.Failed, s.ErrorText = true, messages.Member(response, "message").Str()
		return
	}
	if s.Text(Method) != mcpconv.MethodToolsCall || !response.IsObject() {
		return
	}
	s.AddText(ToolResult, string(response))
	s.Use(RawOutput)
	if messages.Member(response, "isError").IsTrue() {
		MarkToolError(s)
	}
}
