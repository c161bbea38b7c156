package dialect

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// adk is the dialect of Google ADK.
var adk = Dialect{
	Name: "adk", Title: "Google ADK",
	Source: "google/adk-python src/google/adk/telemetry/tracing.py",
	Detect: Detect{Scopes: []string{"gcp.vertex.agent"}, Keys: []string{"gcp.vertex.agent.*"}},
	Keys: []Key{
		{From: "gen_ai.system", To: RawKind},
		{From: "gen_ai.tool.type", To: ToolType, As: ReadToolClass},
		{From: "gcp.vertex.agent.tool_call_args", To: ToolArguments},
		{From: "gcp.vertex.agent.tool_response", To: ToolResult},
		{From: "gcp.vertex.agent.llm_request", To: RawInput},
		{From: "gcp.vertex.agent.llm_response", To: RawOutput},
		{From: "gcp.vertex.agent.session_id", To: Conversation},
	},
	Finish: finishADK,
	Notes: []string{
		"`call_llm` is `chat`. `llm_request` and `llm_response` become messages, the system's instructions and token counts.",
		"`gen_ai.tool.type` is the name of a Python class: `MCPTool` becomes `extension`, others `function`.",
		"`execute_tool (merged)` repeats tool calls that have spans of their own. It loses its operation and gets `mcp.dialect.repeats=tools`.",
		"`generate_content` with an agent's name is ADK's for Python: `call_llm` around it has the same tokens, so it gets `mcp.dialect.repeats=usage`. ADK for Go has no `call_llm`.",
		"The provider is Anthropic's or OpenAI's if the model is, else `gcp.vertex_ai`.",
	},
}

// merged begins the names of a span that repeats what several tools answered. Only some
// ADKs give it a tool's name.
const merged = "execute_tool (merged"

func finishADK(s *Span) {
	switch operation := s.Text(Operation); {
	case s.IsLog:
	case strings.HasPrefix(s.Name, merged), s.Text(ToolName) == "(merged tools)":
		DropOperation(s, mcpconv.RepeatsTools)
		for _, f := range []Field{ToolName, ToolArguments, ToolResult} {
			s.Drop(f)
		}
	case s.Name == "call_llm", s.Foreign == "call_llm":
		s.SetText(Operation, mcpconv.OperationChat)
	case operation == mcpconv.OperationGenerate && s.Has(AgentName):
		s.Repeats = mcpconv.RepeatsUsage
	case strings.HasPrefix(s.Name, "invoke_agent ") && operation == "":
		s.SetText(Operation, mcpconv.OperationAgent)
		s.AddText(AgentName, strings.TrimPrefix(s.Name, "invoke_agent "))
	case strings.HasPrefix(s.Name, "execute_tool ") && operation == "":
		s.SetText(Operation, mcpconv.OperationTool)
		s.AddText(ToolName, strings.TrimPrefix(s.Name, "execute_tool "))
	}
	adkMessages(s)
	if s.Has(RawKind) || s.Text(Operation) == mcpconv.OperationChat {
		s.AddText(Provider, adkProvider(s.Text(RequestModel), s.Text(RawKind)))
		s.Use(RawKind)
	}
}

// adkMessages reads what a model was asked and answered.
func adkMessages(s *Span) {
	request := s.JSON(RawInput)
	if request == "" || request == "{}" {
		s.Drop(RawInput)
	}
	s.Instructions(messages.SystemOf(request))
	s.Builder.NoSystem = true
	s.Convert(InputMessages, RawInput, "user")
	s.Builder.NoSystem = false
	s.AddText(RequestModel, messages.Member(messages.Valid(request), "model").Str())
	response := messages.Valid(s.JSON(RawOutput))
	if messages.Member(response, "content") == "" {
		return
	}
	s.Convert(OutputMessages, RawOutput, "assistant")
	ReadUsage(s, cmp.Or(messages.Member(response, "usage_metadata"), messages.Member(response, "usageMetadata")))
}

// adkProvider is decided by the model: ADK runs those of others too.
func adkProvider(model, system string) string {
	switch {
	case strings.Contains(model, "claude"):
		return "anthropic"
	case strings.HasPrefix(model, "gpt-"), strings.HasPrefix(model, "openai/"):
		return "openai"
	case system == "":
		return "gcp.vertex_ai"
	}
	return ProviderOf(system)
}
