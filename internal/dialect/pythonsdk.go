package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// pythonSDK is the dialect of MCP Python SDK 2.x.
var pythonSDK = Dialect{
	Name: "python_sdk", Title: "MCP Python SDK 2.x",
	Source: "modelcontextprotocol/python-sdk src/mcp/server/_otel.py @2522d4c",
	Detect: Detect{Scopes: []string{"mcp-python-sdk"}, Names: []string{"MCP handle *", "MCP send *"}, With: []string{"mcp.method.name"}},
	Finish: func(s *Span) {
		target := ""
		for _, before := range []string{"MCP handle ", "MCP send "} {
			if rest, ok := strings.CutPrefix(s.Name, before); ok {
				_, target, _ = strings.Cut(rest, " ")
			}
		}
		switch s.Text(Method) {
		case mcpconv.MethodToolsCall:
			s.AddText(ToolName, target)
		case mcpconv.MethodPromptsGet:
			s.AddText(PromptName, target)
		}
		if strings.HasPrefix(s.Name, "MCP handle ") {
			s.WantKind = ptrace.SpanKindServer
			if s.Status == ptrace.StatusCodeError && !s.Has(StatusCode) {
				addCode(s, pythonFaults)
			}
			MarkClientFault(s)
		} else {
			s.WantKind = ptrace.SpanKindClient
		}
	},
	Notes: []string{
		"The tool or prompt is the last word of the name.",
		"Faults of the client (-32700, -32600, -32601, -32602, -32002) are no errors of a server's span: the status becomes unset. The SDK records no code, so it is known by the texts that the SDK itself writes.",
	},
}

// pythonFaults are the texts with which the SDK answers a client that is at fault.
var pythonFaults = []fault{
	{before: "Invalid request parameters", code: "-32602"},
	{before: "Unknown tool", code: "-32602"},
	{before: "Unknown prompt", code: "-32602"},
	{before: "Method not found", code: "-32601"},
	{before: "Unknown resource", code: "-32002"},
	{before: "Resource not found", code: "-32002"},
}
