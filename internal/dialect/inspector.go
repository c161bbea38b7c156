package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// inspector is the dialect of mcp-agent Inspector.
var inspector = Dialect{
	Name: "inspector", Title: "mcp-agent Inspector",
	Source: "lastmile-ai/mcp-agent Inspector telemetry specification; this project's receiver",
	Detect: Detect{
		Keys: []string{
			mcpconv.RPCMethod, mcpconv.StatusCode, "mcp.error.*", "mcp.workflow.*", "mcp.agent.*", "mcp.llm.*", "mcp.state.*", "mcp.result.*",
			"mcp.prompt.*", mcpconv.ToolInput, mcpconv.ToolOutput, mcpconv.ToolStructured,
		},
		Names: []string{
			mcpconv.SpanWorkflow, mcpconv.SpanTool, mcpconv.SpanLLM, mcpconv.SpanResource, mcpconv.SpanPrompt, mcpconv.SpanAgent, mcpconv.SpanSummary,
			"MCPAgentClientSession.*",
		},
		Endings: []string{
			".generate", ".generate_str", ".generate_structured", ".call_tool", ".read_resource", ".get_prompt", ".list_tools", ".list_resources",
			".list_prompts", ".select_model", ".execute_tool_call",
		},
		EndingsWith: []string{mcpconv.GenAIAgentName},
		Service:     "mcp-agent",
	},
	Keys: []Key{
		{From: mcpconv.RPCMethod, To: Method},
		{From: mcpconv.RPCID, To: RequestID},
		{From: "mcp.request.id", To: RequestID},
		{From: mcpconv.JSONRPCVersion, To: JSONRPCVersion},
		{From: mcpconv.ToolName, To: ToolName},
		{From: mcpconv.ToolCallID, To: ToolCallID},
		{From: mcpconv.ToolInput, To: ToolArguments},
		{From: mcpconv.ToolOutput, To: ToolResult},
		{From: mcpconv.AgentName, To: AgentName},
		{From: mcpconv.PromptTemplate, To: PromptName},
		{From: mcpconv.LLMModel, To: RequestModel},
		{From: mcpconv.LLMProvider, To: Provider, As: ReadProvider},
		{From: mcpconv.LLMPrompt, To: RawInput},
		{From: mcpconv.LLMResponse, To: RawOutput},
		{From: mcpconv.LLMSystemPrompt, To: RawParams},
		{From: mcpconv.StopReason, To: FinishReasons},
		{From: mcpconv.SessionID, To: Conversation},
		{From: mcpconv.RPCTransport, To: Transport, As: ReadTransport},
		{From: mcpconv.WorkflowType, To: WorkflowName},
		{From: "mcp.workflow.input_json", To: RawMore},
		{From: "mcp.workflow.output_json", To: RawMore},
		{From: "mcp.agent.class", To: RawKind},
		{From: mcpconv.ToolStructured, To: RawFlag},
	},
	Finish: finishInspector,
	Notes: []string{
		"The operation is that of the span's name: `workflow.run` is `invoke_workflow`, `agent.call` is `invoke_agent`, `llm.generate` is `chat`, `tool.call` is `execute_tool`; `resource.fetch` and `prompt.apply` are the methods `resources/read` and `prompts/get`.",
		"mcp-agent's own names are read too: `{class}.{agent}.generate` is `chat`, `Agent.{name}.call_tool` is `execute_tool`. `generate_str` and the model's `call_tool` go on to these: they have no operation, and `mcp.dialect.repeats=call`.",
		"A span of another name, as the root that is named after the app, has the operation that its keys speak of: `mcp.workflow.*`, `mcp.llm.*`, a tool's input or output, `mcp.agent.class`.",
		"A resource without `service.name` gets `mcp-agent`, and a span without a kind that of its operation.",
		"`mcp.status.code=error`, or `mcp.error.code` without a status, on a span with an unset status makes it Error.",
		"Spans of this project's own receiver have the keys of both conventions already: they are not read.",
	},
}

// inspectorSpans are the Inspector's names.
var inspectorSpans = map[string]struct {
	operation, method string
	kind              ptrace.SpanKind
}{
	mcpconv.SpanWorkflow: {operation: mcpconv.OperationWorkflow, kind: ptrace.SpanKindInternal},
	mcpconv.SpanAgent:    {operation: mcpconv.OperationAgent, kind: ptrace.SpanKindInternal},
	mcpconv.SpanLLM:      {operation: mcpconv.OperationChat, kind: client},
	mcpconv.SpanTool:     {operation: mcpconv.OperationTool, kind: client},
	mcpconv.SpanResource: {method: mcpconv.MethodResourcesRead, kind: client},
	mcpconv.SpanPrompt:   {method: mcpconv.MethodPromptsGet, kind: client},
	mcpconv.SpanSummary:  {kind: ptrace.SpanKindInternal},
}

func finishInspector(s *Span) {
	kind := ptrace.SpanKindInternal
	switch known, ok := inspectorSpans[s.Name]; {
	case ok:
		s.AddText(Operation, known.operation)
		s.AddText(Method, known.method)
		kind = known.kind
	case s.Has(Method):
		kind = client
	default:
		finishMCPAgent(s)
	}
	if s.Kind == ptrace.SpanKindUnspecified && !s.IsLog && s.Text(Operation) != mcpconv.OperationChat {
		s.WantKind = kind
	}
	s.Convert(InputMessages, RawInput, "user")
	s.Convert(OutputMessages, RawOutput, "assistant")
	s.Instructions(s.Text(RawParams))
}

// finishMCPAgent adds the operation of a span with a name of mcp-agent's own.
func finishMCPAgent(s *Span) {
	switch s.Name[strings.LastIndexByte(s.Name, '.')+1:] {
	case "generate", "generate_structured":
		s.AddText(Operation, mcpconv.OperationChat)
		return
	case "call_tool":
		if s.Has(ToolName) {
			s.AddText(Operation, mcpconv.OperationTool)
			return
		}
		fallthrough
	case "generate_str":
		DropOperation(s, mcpconv.RepeatsCall)
		return
	}
	switch {
	case s.Has(WorkflowName), s.Has(RawMore):
		s.AddText(Operation, mcpconv.OperationWorkflow)
	case s.both&(1<<RequestModel|1<<Provider|1<<InputMessages|1<<OutputMessages) != 0:
		s.AddText(Operation, mcpconv.OperationChat)
	case s.both&(1<<ToolArguments|1<<ToolResult) != 0, s.Has(RawFlag):
		s.AddText(Operation, mcpconv.OperationTool)
	case s.Has(RawKind):
		s.AddText(Operation, mcpconv.OperationAgent)
	}
}
