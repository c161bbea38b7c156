package instrumentations

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// OpenLLMetry is the dialect of OpenLLMetry (Traceloop).
var OpenLLMetry = dialect.Dialect{
	Name: "openllmetry", Title: "OpenLLMetry (Traceloop)",
	Source: "traceloop/openllmetry packages/opentelemetry-instrumentation-mcp @02ec866",
	// What else begins with traceloop. is on every span below a workflow, whoever made it.
	Detect: dialect.Detect{
		Keys: []string{
			"traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output",
			"llm.request.type", "llm.usage.total_tokens",
		},
		Scopes: []string{"@traceloop/*", "opentelemetry.instrumentation.mcp"},
	},
	Keys: []dialect.Key{
		{From: "traceloop.span.kind", To: dialect.RawKind},
		{From: "llm.request.type", To: dialect.RawFlag},
		{From: "traceloop.entity.name", To: dialect.RawID},
		{From: "traceloop.workflow.name", To: dialect.RawParams},
		{From: "traceloop.entity.input", To: dialect.RawInput},
		{From: "traceloop.entity.output", To: dialect.RawOutput},
		{From: "mcp.request.id", To: dialect.RequestID},
		{From: "mcp.method.name", To: dialect.Method, As: dialect.ReadMethod},
		{From: "mcp.response.value", To: dialect.RawMore},
		{From: "traceloop.association.properties.session_id", To: dialect.Conversation},
		{From: "traceloop.association.properties.user_id", To: dialect.UserID},
		{From: "llm.usage.cache_creation_input_tokens", To: dialect.CacheWrite},
		{From: "llm.usage.cache_read_input_tokens", To: dialect.CacheRead},
		{From: "gen_ai.completion.0.finish_reason", To: dialect.FinishReasons},
	},
	Prefixes: []string{"gen_ai.prompt.", "gen_ai.completion."},
	Finish:   finishOpenLLMetry,
	Notes: []string{
		"A span `{tool}.tool` is the MCP call `tools/call {tool}` of a client, or of the server `{server}` if `traceloop.workflow.name` is `{server}.mcp`. `{method}.mcp` is that method.",
		"`mcp.server` is the way to a server's tool that has a span of its own: it gets `mcp.dialect.repeats=call`.",
		"`traceloop.entity.input` of a tool is an envelope: its `arguments` are the arguments. So is `traceloop.entity.output`: its `result` is the result, and `is_error` means `error.type=tool_error`.",
		"The text of the status of a tool, or of the answer that a server sends, is the result: it moves to `mcp.dialect.status_message`, so that it is not shown as an error's text.",
		"A `task` has no operation: most are steps of a program, and no agents.",
		"A `task` whose operation is `execute_tool` is a tool of LangChain: its argument is the first of `args`, and name, id and result are those of the message in the output.",
		"`gen_ai.prompt.*` and `gen_ai.completion.*` become messages.",
	},
}

func finishOpenLLMetry(s *dialect.Span) {
	kind := s.Text(dialect.RawKind)
	if method, ok := strings.CutSuffix(s.Name, ".mcp"); ok && isMethod(method) {
		s.AddText(dialect.Method, method)
		jsonRequest(s, messages.Valid(s.JSON(dialect.RawInput)))
		s.WantKind = ptrace.SpanKindClient
	}
	if s.Name == "ResponseStreamWriter" { // a message that is sent, with what a tool answered
		s.ContentStatus = s.Message != ""
	}
	switch kind {
	case "tool":
		envelopes(s)
	case "server":
		s.Repeats = mcpconv.RepeatsCall
	case "workflow":
		s.AddText(dialect.Operation, mcpconv.OperationWorkflow)
		s.AddText(dialect.WorkflowName, cmp.Or(s.Text(dialect.RawID), s.Text(dialect.RawParams)))
	case "agent", "task":
		if kind == "agent" {
			s.AddText(dialect.Operation, mcpconv.OperationAgent)
			s.AddText(dialect.AgentName, s.Text(dialect.RawID))
		} else if s.Text(dialect.Operation) == mcpconv.OperationTool {
			langChainTask(s)
		}
	}
	switch s.Text(dialect.RawFlag) {
	case "chat":
		s.AddText(dialect.Operation, mcpconv.OperationChat)
	case "completion":
		s.AddText(dialect.Operation, mcpconv.OperationComplete)
	case "embedding":
		s.AddText(dialect.Operation, mcpconv.OperationEmbed)
	}
	s.Flattened(0, dialect.InputMessages, "", "user")
	s.Flattened(1, dialect.OutputMessages, "", "assistant")
	if s.Has(dialect.Operation) || s.Has(dialect.Method) {
		s.Use(dialect.RawKind)
		s.Use(dialect.RawFlag)
		s.Use(dialect.RawID)
	}
}

// isMethod reports whether what a span is named after is a method of MCP: each but a few
// has a slash, those of nobody's specification too.
func isMethod(name string) bool {
	_, known := mcpconv.Known(name)
	return known || strings.Contains(name, "/")
}

// What is in the envelopes of a tool.
var (
	inputMembers  = []string{"tool_name", "arguments"}
	outputMembers = []string{"result", "is_error"}
)

// envelopes takes the arguments and the result of a tool out of their envelopes.
func envelopes(s *dialect.Span) {
	var input, output [2]messages.Value
	messages.Pick(s.JSON(dialect.RawInput), inputMembers, input[:])
	messages.Pick(s.JSON(dialect.RawOutput), outputMembers, output[:])
	s.AddText(dialect.ToolName, s.Text(dialect.RawID))
	if name := input[0]; name != "" {
		s.AddText(dialect.ToolName, name.Str())
		s.SetText(dialect.Method, mcpconv.MethodToolsCall)
		s.WantKind = ptrace.SpanKindClient
		if server, ok := strings.CutSuffix(s.Text(dialect.RawParams), ".mcp"); ok {
			s.AddText(dialect.ServerName, server)
			s.WantKind = ptrace.SpanKindServer
		}
	}
	if arguments := input[1]; arguments != "" {
		s.AddText(dialect.ToolArguments, string(arguments))
		s.Use(dialect.RawInput)
	} else {
		s.Move(dialect.ToolArguments, dialect.RawInput)
	}
	if result := output[0]; result != "" {
		s.AddText(dialect.ToolResult, result.Text())
		s.Use(dialect.RawOutput)
	} else {
		s.Move(dialect.ToolResult, dialect.RawOutput)
	}
	s.AddText(dialect.Operation, mcpconv.OperationTool)
	s.ContentStatus = s.Message != ""
	if output[1].IsTrue() {
		dialect.MarkToolError(s)
	}
	if tool, ok := strings.CutSuffix(s.Name, ".tool"); ok && !s.Has(dialect.ToolName) {
		s.SetText(dialect.ToolName, tool)
	}
}

// langChainTool takes name, id, result and outcome of a tool call out of the message
// that LangChain writes as JSON: a constructor and its arguments, by itself or as the
// output of a span.
func langChainTool(s *dialect.Span, from dialect.Field) {
	text := s.JSON(from)
	if !strings.Contains(text, `"ToolMessage"`) {
		return
	}
	message := messages.Valid(text)
	if output := messages.Member(message, "output"); output.IsObject() {
		message = output
	}
	arguments := messages.Member(message, "kwargs")
	if messages.Member(message, "lc") == "" || !arguments.IsObject() {
		return
	}
	s.AddText(dialect.ToolCallID, messages.Member(arguments, "tool_call_id").Text())
	s.AddText(dialect.ToolName, messages.Member(arguments, "name").Text())
	s.AddText(dialect.ToolResult, messages.Member(arguments, "content").Text())
	if messages.Member(arguments, "status").Text() == "error" {
		dialect.MarkToolError(s)
	}
	s.Use(from)
}

// langChainTask reads a tool that OpenLLMetry's instrumentation of LangChain wrote: its
// name is that of a class unless the result says better.
func langChainTask(s *dialect.Span) {
	input := messages.Valid(s.JSON(dialect.RawInput))
	for argument := range messages.Items(messages.Member(input, "args")) {
		s.AddText(dialect.ToolArguments, argument.Text())
		s.Use(dialect.RawInput)
		break
	}
	s.Move(dialect.ToolArguments, dialect.RawInput)
	langChainTool(s, dialect.RawOutput)
	s.Move(dialect.ToolResult, dialect.RawOutput)
	s.AddText(dialect.ToolName, s.Text(dialect.RawID))
}
