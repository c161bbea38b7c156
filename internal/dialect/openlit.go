package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// openLIT is the dialect of OpenLIT's instrumentation of MCP.
var openLIT = Dialect{
	Name: "openlit", Title: "OpenLIT, MCP",
	Source: "openlit/openlit sdk/python/src/openlit/instrumentation/mcp/utils.py @16b3492",
	Detect: Detect{
		Names: []string{"mcp *"}, With: []string{"mcp.method"},
		Keys: []string{"mcp.request.payload", "mcp.response.payload", "mcp.transport.type"},
	},
	Keys: []Key{
		{From: "mcp.message_id", To: RequestID},
		{From: "mcp.tool.arguments", To: ToolArguments},
		{From: "mcp.request.payload", To: RawParams},
		{From: "mcp.tool.result", To: ToolResult},
		{From: "mcp.response.payload", To: RawOutput},
		{From: "mcp.transport.type", To: Transport, As: ReadTransport},
	},
	Finish: finishOpenLIT,
	Notes: []string{
		"The method is that of the span's name, `mcp tools/call`, and `mcp tool/{tool}` is that method, too: `mcp.method` is the name of a function, or of a tool.",
		"`mcp.request.payload` is JSON: tool, arguments, prompt and resource are taken out of it. `mcp.response.payload` of a tool is its result.",
	},
}

func finishOpenLIT(s *Span) {
	name, _ := strings.CutPrefix(s.Name, "mcp ")
	if tool, ok := strings.CutPrefix(name, "tool/"); ok {
		s.AddText(Method, mcpconv.MethodToolsCall)
		s.AddText(ToolName, tool)
	} else if method, known := mcpconv.Known(name); known {
		s.AddText(Method, method)
	}
	if !s.Has(Method) {
		return
	}
	jsonRequest(s, messages.Valid(s.JSON(RawParams)))
	if s.Text(Method) == mcpconv.MethodToolsCall {
		s.Move(ToolResult, RawOutput)
	}
}
