package dialect

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// mcpGo is the dialect of mcp-go.
var mcpGo = Dialect{
	Name: "mcp_go", Title: "mcp-go",
	Source: "mark3labs/mcp-go client/tracing.go, server/tracing.go v1.2.1",
	Detect: Detect{Names: []string{"mcp.*"}, With: []string{"mcp.method"}},
	Keys: []Key{
		{From: "mcp.method", To: Method, As: ReadMethod},
	},
	Finish: finishMCPGo,
	Notes: []string{
		"Its spans `tool.{name}` repeat the call whose children they are. They have no operation, and stay as they are.",
		"`tool returned error result` means `error.type=tool_error`.",
		"It records no code of an error, so it is known by the texts that mcp-go itself writes: the faults of a client are no errors of a server's span.",
	},
}

// goFaults are the parts of a text by which mcp-go says what went wrong: a client
// begins with the error of the code, a server ends with what was not found.
var goFaults = []fault{
	{before: "parse error:", code: "-32700"},
	{before: "invalid request:", code: "-32600"},
	{before: "method not found:", code: "-32601"},
	{before: "invalid params:", code: "-32602"},
	{before: "internal error:", code: "-32603"},
	{before: "resource not found:", code: "-32002"},
	{after: ": tool not found", code: "-32602"},
	{after: ": prompt not found", code: "-32602"},
	{after: ": resource not found", code: "-32002"},
}

func finishMCPGo(s *Span) {
	if s.Status != ptrace.StatusCodeError || s.Has(StatusCode) {
		return
	}
	if s.Message == "tool returned error result" {
		s.AddText(ErrorType, mcpconv.TypeToolError)
		return
	}
	addCode(s, goFaults)
	MarkClientFault(s)
}
