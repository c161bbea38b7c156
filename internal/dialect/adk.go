package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/value"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var adk = Dialect{
	Name: "adk", Title: "Google ADK",
	Source: "google/adk-python src/google/adk/telemetry/tracing.py",
	Detect: Detect{Scopes: []string{"gcp.vertex.agent"}, Keys: []string{"gcp.vertex.agent.*"}},
	Keys: []Key{
		{From: "gen_ai.system", To: RawKind},
		{From: "gen_ai.tool.type", To: ToolType, As: readToolClass},
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
		"`execute_tool (merged tools)` repeats tool calls that have spans of their own. It loses its operation and gets `mcp.dialect.repeats=tools`.",
		"The provider is Anthropic's or OpenAI's if the model is, else `gcp.vertex_ai`.",
	},
}

// readToolClass reads the name of a class.
func readToolClass(s *Span, f Field, v pcommon.Value) {
	switch class := value.TextOf(v); {
	case class == "":
	case class == mcpconv.ToolTypeMCP, class == mcpconv.ToolTypeFunction, class == "datastore":
		s.take(f, v, 0)
	case strings.EqualFold(class, "MCPTool"), strings.EqualFold(class, "MCPToolset"):
		s.replace(f, mcpconv.ToolTypeMCP)
	default:
		s.replace(f, mcpconv.ToolTypeFunction)
	}
}

func finishADK(s *Span) {
	switch operation := s.Text(Operation); {
	case s.IsLog:
	case strings.HasSuffix(s.Name, "(merged tools)"):
		dropOperation(s, mcpconv.RepeatsTools)
	case s.Name == "call_llm", s.Foreign == "call_llm":
		s.SetText(Operation, mcpconv.OperationChat)
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
	s.builder.NoSystem = true
	s.Convert(InputMessages, RawInput, "user")
	s.builder.NoSystem = false
	s.AddText(RequestModel, messages.Member(messages.Valid(request), "model").Str())
	response := messages.Valid(s.JSON(RawOutput))
	if messages.Member(response, "content") == "" {
		return
	}
	s.Convert(OutputMessages, RawOutput, "assistant")
	readUsage(s, first(messages.Member(response, "usage_metadata"), messages.Member(response, "usageMetadata")))
}

func first(a, b messages.Value) messages.Value {
	if a != "" {
		return a
	}
	return b
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
	return providerOf(system)
}
