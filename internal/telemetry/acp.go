package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// prompt writes what a turn of an agent has (ACP, session/prompt).
func (b *Batch) prompt(e *session.CallEnd) {
	a, c := &b.attrs, e.Call
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationAgent)
	a.inspector(mcpconv.AgentName, c.Agent())
	a.otel(mcpconv.GenAIAgentName, c.Agent())
	a.payload(mcpconv.WorkflowInput, c.Input)
	if e.Reply != nil {
		a.str(mcpconv.StopReason, a.text(e.Reply.Result.StopReason.Str()))
	}
}

// agentTool writes what a tool call has that an agent tells of (ACP, tool_call).
func (b *Batch) agentTool(e *session.CallEnd) {
	a, c := &b.attrs, e.Call
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationTool)
	a.inspector(mcpconv.ToolName, c.Target)
	a.otel(mcpconv.GenAIToolName, c.Target)
	a.inspector(mcpconv.ToolCallID, c.Tool)
	a.otel(mcpconv.GenAIToolCallID, c.Tool)
	a.payload(mcpconv.ToolTitle, c.Text)
	a.str(mcpconv.ToolKind, c.ToolKind)
	a.str(mcpconv.ToolStatus, c.ToolStatus)
	a.twin(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	if e.Outcome.Failed {
		a.payload(mcpconv.ToolOutput, c.Output)
	} else {
		a.twin(mcpconv.ToolOutput, mcpconv.GenAIToolResult, c.Output)
	}
}

// permission writes what a person is asked to allow (ACP, session/request_permission).
func (b *Batch) permission(c *session.Call, reply *jsonrpc.Message) {
	a := &b.attrs
	a.str(mcpconv.SignalName, "permission")
	a.payload(mcpconv.SignalPrompt, c.Text)
	a.payload(mcpconv.SignalSchema, c.Input)
	if reply == nil {
		return
	}
	action := jsonrpc.Member(reply.Result.Outcome, "optionId").Str()
	if action == "" {
		action = jsonrpc.Member(reply.Result.Outcome, "outcome").Str()
	}
	a.str(mcpconv.SignalAction, a.text(action))
}

// update writes what only updates of ACP have that are notices.
func (b *Batch) update(m *jsonrpc.Message) {
	var u jsonrpc.Update
	u.DecodeUpdate(m.Params.Update)
	a := &b.attrs
	switch u.Kind {
	case "plan":
		a.payload(mcpconv.StatePlan, strings.Clone(string(u.Entries)))
	case "usage_update":
		a.tokens(u.Used, u.Size)
	}
}
