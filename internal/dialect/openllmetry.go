package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// openLLMetry is the dialect of OpenLLMetry (Traceloop).
var openLLMetry = Dialect{
	Name: "openllmetry", Title: "OpenLLMetry (Traceloop)",
	Source: "traceloop/openllmetry packages/opentelemetry-instrumentation-mcp @02ec866",
	// What else begins with traceloop. is on every span below a workflow, whoever made it.
	Detect: Detect{
		Keys: []string{
			"traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output",
			"llm.request.type", "llm.usage.total_tokens",
		},
		Scopes: []string{"@traceloop/*", "opentelemetry.instrumentation.mcp"},
	},
	Keys: []Key{
		{From: "traceloop.span.kind", To: RawKind},
		{From: "llm.request.type", To: RawFlag},
		{From: "traceloop.entity.name", To: RawID},
		{From: "traceloop.workflow.name", To: RawParams},
		{From: "traceloop.entity.input", To: RawInput},
		{From: "traceloop.entity.output", To: RawOutput},
		{From: "mcp.request.id", To: RequestID},
		{From: "mcp.method.name", To: Method, As: ReadMethod},
		{From: "mcp.response.value", To: RawMore},
		{From: "traceloop.association.properties.session_id", To: Conversation},
		{From: "traceloop.association.properties.user_id", To: UserID},
		{From: "llm.usage.cache_creation_input_tokens", To: CacheWrite},
		{From: "llm.usage.cache_read_input_tokens", To: CacheRead},
		{From: "gen_ai.completion.0.finish_reason", To: FinishReasons},
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

func finishOpenLLMetry(s *Span) {
	kind := s.Text(RawKind)
	if method, ok := strings.CutSuffix(s.Name, ".mcp"); ok && isMethod(method) {
		s.AddText(Method, method)
		jsonRequest(s, messages.Valid(s.JSON(RawInput)))
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
		s.AddText(Operation, mcpconv.OperationWorkflow)
		s.AddText(WorkflowName, cmp.Or(s.Text(RawID), s.Text(RawParams)))
	case "agent", "task":
		if kind == "agent" {
			s.AddText(Operation, mcpconv.OperationAgent)
			s.AddText(AgentName, s.Text(RawID))
		} else if s.Text(Operation) == mcpconv.OperationTool {
			langChainTask(s)
		}
	}
	switch s.Text(RawFlag) {
	case "chat":
		s.AddText(Operation, mcpconv.OperationChat)
	case "completion":
		s.AddText(Operation, mcpconv.OperationComplete)
	case "embedding":
		s.AddText(Operation, mcpconv.OperationEmbed)
	}
	s.Flattened(0, InputMessages, "", "user")
	s.Flattened(1, OutputMessages, "", "assistant")
	if s.Has(Operation) || s.Has(Method) {
		s.Use(RawKind)
		s.Use(RawFlag)
		s.Use(RawID)
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
func envelopes(s *Span) {
	var input, output [2]messages.Value
	messages.Pick(s.JSON(RawInput), inputMembers, input[:])
	messages.Pick(s.JSON(RawOutput), outputMembers, output[:])
	s.AddText(ToolName, s.Text(RawID))
	if name := input[0]; name != "" {
		s.AddText(ToolName, name.Str())
		s.SetText(Method, mcpconv.MethodToolsCall)
		s.WantKind = ptrace.SpanKindClient
		if server, ok := strings.CutSuffix(s.Text(RawParams), ".mcp"); ok {
			s.AddText(ServerName, server)
			s.WantKind = ptrace.SpanKindServer
		}
	}
	if arguments := input[1]; arguments != "" {
		s.AddText(ToolArguments, string(arguments))
		s.Use(RawInput)
	} else {
		s.Move(ToolArguments, RawInput)
	}
	if result := output[0]; result != "" {
		s.AddText(ToolResult, result.Text())
		s.Use(RawOutput)
	} else {
		s.Move(ToolResult, RawOutput)
	}
	s.AddText(Operation, mcpconv.OperationTool)
	s.ContentStatus = s.Message != ""
	if output[1].IsTrue() {
		MarkToolError(s)
	}
	if tool, ok := strings.CutSuffix(s.Name, ".tool"); ok && !s.Has(ToolName) {
		s.SetText(ToolName, tool)
	}
}

// langChainTool takes name, id, result and outcome of a tool call out of the message
// that LangChain writes as JSON: a constructor and its arguments, by itself or as the
// output of a span.
func langChainTool(s *Span, from Field) {
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
	s.AddText(ToolCallID, messages.Member(arguments, "tool_call_id").Text())
	s.AddText(ToolName, messages.Member(arguments, "name").Text())
	s.AddText(ToolResult, messages.Member(arguments, "content").Text())
	if messages.Member(arguments, "status").Text() == "error" {
		MarkToolError(s)
	}
	s.Use(from)
}

// langChainTask reads a tool that OpenLLMetry's instrumentation of LangChain wrote: its
// The name is that of a class unless the result has a better one.
func langChainTask(s *Span) {
	input := messages.Valid(s.JSON(RawInput))
	for argument := range messages.Member(input, "args").Elements() {
		s.AddText(ToolArguments, argument.Text())
		s.Use(RawInput)
		break
	}
	s.Move(ToolArguments, RawInput)
	langChainTool(s, RawOutput)
	s.Move(ToolResult, RawOutput)
	s.AddText(ToolName, s.Text(RawID))
}
