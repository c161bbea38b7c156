package telemetry

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeAgentPrompt writes what a turn of an agent has (ACP, session/prompt).
func writeAgentPrompt(a *attrs, e *session.CallEnd) {
	agent := agentOf(e.Session, e.Call)
	a.operation(mcpconv.OperationAgent, e.Session)
	a.inspector(mcpconv.AgentName, agent)
	a.otel(mcpconv.GenAIAgentName, agent)
	a.payload(mcpconv.WorkflowInput, e.Call.Input)
	writeAgentOutput(a, e.Call.Output)
	if e.Reply != nil {
		a.textCopy(mcpconv.StopReason, e.Reply.Result.StopReason.Str())
	}
}

// writeAgentOutput writes what the agent said to the person, as a JSON string.
func writeAgentOutput(a *attrs, text string) {
	if text == "" || !a.opt.Payloads {
		return
	}
	kept := jsonscan.Cut(text, session.OutputMax)
	a.str(mcpconv.WorkflowOutput, encodeJSON(kept))
	a.flag(mcpconv.WorkflowOutput+mcpconv.TruncatedSuffix, kept != text)
}

// writeAgentTool writes what a tool call has that an agent reports (ACP,
// tool_call).
func writeAgentTool(a *attrs, e *session.CallEnd) {
	c := e.Call
	a.operation(mcpconv.OperationTool, e.Session)
	a.tool(c.Target)
	a.inspector(mcpconv.ToolCallID, c.ToolID)
	a.otel(mcpconv.GenAIToolCallID, c.ToolID)
	a.payloadText(mcpconv.ToolTitle, c.Text)
	a.str(mcpconv.ToolKind, c.ToolKind)
	a.str(mcpconv.ToolStatus, c.ToolStatus)
	a.payloads(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	writeToolOutput(a, e, c.Output)
}

// writePlan writes an agent's plan (ACP, plan).
func writePlan(a *attrs, p *event.Plan) {
	a.payloadCopy(mcpconv.StatePlan, p.Entries)
}

// writeContextUse writes how much of its context window an agent uses (ACP,
// usage_update).
func writeContextUse(a *attrs, u *event.ContextUse) { writeTokens(a, u.Used, u.Size) }
