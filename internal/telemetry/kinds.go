package telemetry

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// writeFamily writes what only calls of one kind have.
func writeFamily(a *attrs, e *session.CallEnd) {
	c := e.Call
	if c.IsUpdate() {
		writeAgentTool(a, e)
		return
	}
	switch c.Kind {
	case event.ToolCall:
		writeTool(a, e)
	case event.ResourceRead:
		writeResource(a, e)
	case event.PromptGet:
		a.names(mcpconv.PromptTemplate, mcpconv.GenAIPromptName, c.Target)
		a.payload(mcpconv.PromptParameters, c.Input)
	case event.ModelCall:
		writeSampling(a, e)
	case event.Elicitation, event.Permission:
		writeAsked(a, c, e.Reply)
	case event.AgentPrompt:
		writeAgentPrompt(a, e)
	case event.LogLevelSetting:
		a.text(mcpconv.LogLevel, c.Target)
	default:
		a.text(mcpconv.ResourceURI, c.Target)
	}
}

// writeTool writes what the call of a server's tool has.
func writeTool(a *attrs, e *session.CallEnd) {
	c := e.Call
	a.operation(mcpconv.OperationTool, e.Session)
	a.tool(c.Target)
	a.otel(mcpconv.GenAIToolCallID, event.JSON(c.Use).Str())
	a.payloads(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	if e.Reply == nil || !a.opt.Payloads || !e.Reply.Result.Raw.IsObject() || e.Reduced {
		return // no result, or one that was carried reduced
	}
	r := &e.Reply.Result
	writeToolOutput(a, e, toolOutput(r))
	a.payloadCopy(mcpconv.ToolStructured, r.Structured)
}

// writeToolOutput writes the output of a tool call. The semantic conventions
// know results of successful calls only.
func writeToolOutput(a *attrs, e *session.CallEnd, output string) {
	if e.Outcome.Failed {
		a.payload(mcpconv.ToolOutput, output)
		return
	}
	a.payloads(mcpconv.ToolOutput, mcpconv.GenAIToolResult, output)
}

// toolOutput is the result of a tool without its optional members, JSON.
func toolOutput(r *event.Result) string {
	content, isError := r.Content, r.IsError
	if content == "" {
		content = "[]"
	}
	if isError == "" {
		isError = "false"
	}
	return `{"content":` + string(content) + `,"isError":` + string(isError) + `}`
}

// writeResource writes what the reading of a resource has.
func writeResource(a *attrs, e *session.CallEnd) {
	a.text(mcpconv.ResourceURI, e.Call.Target)
	if e.Reply == nil || e.Reply.Result.Raw == "" || e.Reduced {
		return
	}
	a.textCopy(mcpconv.ResourceMimeType, e.Reply.Result.MimeType.Str())
	a.int(mcpconv.ResourceBytes, e.Reply.Result.Bytes)
}

// writeAsked writes what a person is asked, and the answer; reply may be nil.
func writeAsked(a *attrs, c *store.CallRecord, reply *event.Reply) {
	name := "elicitation"
	if c.Kind == event.Permission {
		name = "permission"
	}
	a.str(mcpconv.SignalName, name)
	a.payload(mcpconv.SignalPrompt, c.Text)
	a.payload(mcpconv.SignalSchema, c.Input)
	if reply == nil {
		return
	}
	action := reply.Result.Action.Str()
	if c.Kind == event.Permission {
		action = reply.Result.Permission
	}
	a.textCopy(mcpconv.SignalAction, action)
}
