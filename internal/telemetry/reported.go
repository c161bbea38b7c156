package telemetry

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeReportedTool writes a tool call that an agent reported: no message was seen, so
// it has nothing of JSON-RPC. Its output is what the tool returned, as it is.
func writeReportedTool(a *attrs, e *session.CallEnd) {
	c := e.Call
	a.session(e.Session)
	a.operation(mcpconv.OperationTool, e.Session)
	a.tool(c.ToolName())
	a.otel(mcpconv.GenAIToolType, mcpconv.ToolType(c.OwnTool()))
	a.otel(mcpconv.GenAIToolCallID, c.GivenToolID())
	a.str(mcpconv.ServerName, c.Server)
	a.subAgent(c.SubAgent)
	writeReport(a, c.Report)
	a.payloads(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	if e.Use == nil {
		return
	}
	a.jsonInt(mcpconv.ToolDuration, e.Use.Duration)
	if a.opt.Payloads && e.Use.Output != "" {
		a.payloads(mcpconv.ToolOutput, mcpconv.GenAIToolResult, strings.Clone(string(e.Use.Output)))
	}
}

// writeHook writes what a hook reported, and how its log record looks.
func writeHook(a *attrs, n *session.Notice, h *event.HookInfo, v *view) {
	a.textCopy(mcpconv.ToolName, h.Tool.Str())
	agent := a.cutCopy(h.AgentID.Str())
	a.inspector(mcpconv.AgentID, agent)
	a.textCopy(mcpconv.HostReason, h.Trigger.Str())
	if n.Outcome.Failed && h.Tool == "" {
		a.textCopy(mcpconv.HostErrorType, h.Error.Str())
	}
	a.payloadCopy(mcpconv.WorkflowInput, h.Prompt)
	v.severity = hookSeverities[h.Weight]
	if a.opt.bodies() {
		v.body = cmp.Or(n.Outcome.Message, h.Message.Str(), h.Prompt.Str())
	}
}
