package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// family writes what only calls of one method have.
func (b *Batch) family(e *session.CallEnd) {
	c := e.Call
	switch c.Method {
	case mcpconv.MethodToolsCall:
		b.tool(e)
	case mcpconv.MethodResourcesRead:
		b.resource(c, e)
	case mcpconv.MethodPromptsGet:
		b.attrs.inspector(mcpconv.PromptTemplate, c.Target)
		b.attrs.otel(mcpconv.GenAIPromptName, c.Target)
		b.attrs.payload(mcpconv.PromptParameters, c.Input)
	case mcpconv.MethodSampling:
		b.sampling(c, e.Reply)
	case mcpconv.MethodElicitation, mcpconv.MethodRequestPermit:
		b.asked(c, e.Reply)
	case mcpconv.MethodSessionPrompt:
		b.prompt(e)
	case mcpconv.MethodSessionUpdate:
		b.agentTool(e)
	case mcpconv.MethodSetLevel:
		b.attrs.str(mcpconv.LogLevel, c.Target)
	default:
		b.attrs.str(mcpconv.ResourceURI, c.Target)
	}
}

func (b *Batch) tool(e *session.CallEnd) {
	a, c := &b.attrs, e.Call
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationTool)
	a.inspector(mcpconv.ToolName, c.Target)
	a.otel(mcpconv.GenAIToolName, c.Target)
	a.twin(mcpconv.ToolInput, mcpconv.GenAIToolArguments, c.Input)
	if e.Reply == nil || !b.opt.Payloads || !e.Reply.Result.Raw.IsObject() || e.Reduced {
		return // no result, or one that was carried reduced
	}
	r := &e.Reply.Result
	output := toolOutput(r)
	if e.Outcome.Failed { // the conventions know results of successful calls only
		a.payload(mcpconv.ToolOutput, output)
	} else {
		a.twin(mcpconv.ToolOutput, mcpconv.GenAIToolResult, output)
	}
	a.payload(mcpconv.ToolStructured, strings.Clone(string(r.Structured)))
}

func toolOutput(r *jsonrpc.Result) string {
	content, isError := r.Content, r.IsError
	if content == "" {
		content = "[]"
	}
	if isError == "" {
		isError = "false"
	}
	return `{"content":` + string(content) + `,"isError":` + string(isError) + `}`
}

func (b *Batch) resource(c *session.Call, e *session.CallEnd) {
	a := &b.attrs
	a.str(mcpconv.ResourceURI, c.Target)
	if e.Reply == nil || e.Reply.Result.Raw == "" || e.Reduced {
		return
	}
	a.str(mcpconv.ResourceMimeType, a.text(e.Reply.Result.MimeType.Str()))
	a.int(mcpconv.ResourceBytes, e.Reply.Result.Bytes)
}

// asked writes what a person is asked, and the answer.
func (b *Batch) asked(c *session.Call, reply *jsonrpc.Message) {
	if c.Method == mcpconv.MethodRequestPermit {
		b.permission(c, reply)
		return
	}
	a := &b.attrs
	a.str(mcpconv.SignalName, "elicitation")
	a.payload(mcpconv.SignalPrompt, c.Text)
	a.payload(mcpconv.SignalSchema, c.Input)
	if reply != nil {
		a.str(mcpconv.SignalAction, a.text(reply.Result.Action.Str()))
	}
}
