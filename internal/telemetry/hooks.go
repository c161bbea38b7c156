package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// kindOf is CLIENT for what is asked of somebody else. A tool of the host itself
// is work inside of it (GenAI conventions, execute_tool span).
func kindOf(c *session.Call) ptrace.SpanKind {
	if c.Hook && c.Server == "" {
		return ptrace.SpanKindInternal
	}
	return ptrace.SpanKindClient
}

// hookTool writes a tool call of which hooks told: no message was seen, so it has
// nothing of JSON-RPC. Its output is what the tool returned, as it is.
func (b *Batch) hookTool(e *session.CallEnd) {
	a, c := &b.attrs, e.Call
	a.session(c.Session)
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationTool)
	a.inspector(mcpconv.ToolName, c.Target)
	a.otel(mcpconv.GenAIToolName, c.Target)
	a.otel(mcpconv.GenAIToolCallID, c.ToolID())
	a.str(mcpconv.ServerName, c.Server)
	a.otel(mcpconv.GenAIAgentID, c.SubAgent)
	a.inspector(mcpconv.AgentID, c.SubAgent)
	a.twin(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	if e.Hook == nil {
		return
	}
	a.number(mcpconv.ToolDuration, e.Hook.Duration)
	if b.opt.Payloads && e.Hook.Output != "" {
		a.twin(mcpconv.ToolOutput, mcpconv.GenAIToolResult, strings.Clone(string(e.Hook.Output)))
	}
}

// hookDuration is for how many milliseconds a tool ran, if a hook told that: the
// time in which a person was asked is not in it.
func hookDuration(e *session.CallEnd) (ms float64, ok bool) {
	if e.Hook == nil {
		return 0, false
	}
	ms, ok = e.Hook.Duration.Float()
	return ms, ok && ms >= 0
}

// hook writes what a hook's event tells.
func (b *Batch) hook(n *session.Notice) {
	a, h := &b.attrs, n.Hook
	a.inspector(mcpconv.ToolName, a.text(h.Tool.Str()))
	a.otel(mcpconv.GenAIToolName, a.text(h.Tool.Str()))
	a.inspector(mcpconv.AgentID, a.text(h.AgentID.Str()))
	a.otel(mcpconv.GenAIAgentID, a.text(h.AgentID.Str()))
	a.str(mcpconv.HostReason, a.text(h.Trigger.Str()))
	if n.Outcome.Failed && h.Tool == "" {
		a.str(mcpconv.HostErrorType, a.text(h.Error.Str()))
	}
	if b.opt.Payloads {
		a.str(mcpconv.WorkflowInput, strings.Clone(string(h.Prompt)))
		a.str(mcpconv.NoticeParams, strings.Clone(string(h.Raw)))
	}
}

// hookSeverities are those of hooks' events that are not INFO.
var hookSeverities = map[string]plog.SeverityNumber{
	mcpconv.SpanHook + "PermissionRequest": plog.SeverityNumberWarn,
	mcpconv.SpanHook + "PreCompact":        plog.SeverityNumberWarn,
	mcpconv.SpanHook + "StopFailure":       plog.SeverityNumberError,
}

// hookBody is what a hook's event says in words.
func hookBody(n *session.Notice) string {
	for _, text := range []string{n.Outcome.Message, n.Hook.Message.Str(), n.Hook.Prompt.Str()} {
		if text != "" {
			return strings.Clone(text)
		}
	}
	return ""
}
