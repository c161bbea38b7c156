package instrumentations

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// OpenLIT is the dialect of OpenLIT's instrumentation of MCP.
var OpenLIT = dialect.Dialect{
	Name: "openlit", Title: "OpenLIT, MCP",
	Source: "openlit/openlit sdk/python/src/openlit/instrumentation/mcp/utils.py @16b3492",
	Detect: dialect.Detect{
		Names: []string{"mcp *"}, With: []string{"mcp.method"},
		Keys: []string{"mcp.request.payload", "mcp.response.payload", "mcp.transport.type"},
	},
	Keys: []dialect.Key{
		{From: "mcp.message_id", To: dialect.RequestID},
		{From: "mcp.tool.arguments", To: dialect.ToolArguments},
		{From: "mcp.request.payload", To: dialect.RawParams},
		{From: "mcp.tool.result", To: dialect.ToolResult},
		{From: "mcp.response.payload", To: dialect.RawOutput},
		{From: "mcp.transport.type", To: dialect.Transport, As: dialect.ReadTransport},
	},
	Finish: finishOpenLIT,
	Notes: []string{
		"The method is that of the span's name, `mcp tools/call`, and `mcp tool/{tool}` is that method, too: `mcp.method` is the name of a function, or of a tool.",
		"`mcp.request.payload` is JSON: tool, arguments, prompt and resource are taken out of it. `mcp.response.payload` of a tool is its result.",
	},
}

func finishOpenLIT(s *dialect.Span) {
	name, _ := strings.CutPrefix(s.Name, "mcp ")
	if tool, ok := strings.CutPrefix(name, "tool/"); ok {
		s.AddText(dialect.Method, mcpconv.MethodToolsCall)
		s.AddText(dialect.ToolName, tool)
	} else if method, known := mcpconv.Known(name); known {
		s.AddText(dialect.Method, method)
	}
	if !s.Has(dialect.Method) {
		return
	}
	jsonRequest(s, messages.Valid(s.JSON(dialect.RawParams)))
	if s.Text(dialect.Method) == mcpconv.MethodToolsCall {
		s.Move(dialect.ToolResult, dialect.RawOutput)
	}
}
