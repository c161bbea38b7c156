package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
)

// langChainTool takes name, id, result and outcome of a tool call out of the message
// that LangChain writes as JSON: a constructor and its arguments, by itself or as the
// output of a span. It reports whether there is one.
func langChainTool(s *Span, from Field) bool {
	text := s.JSON(from)
	if !strings.Contains(text, `"ToolMessage"`) {
		return false
	}
	message := messages.Valid(text)
	if output := messages.Member(message, "output"); output.IsObject() {
		message = output
	}
	arguments := messages.Member(message, "kwargs")
	if messages.Member(message, "lc") == "" || !arguments.IsObject() {
		return false
	}
	s.AddText(ToolCallID, messages.Member(arguments, "tool_call_id").Text())
	s.AddText(ToolName, messages.Member(arguments, "name").Text())
	s.AddText(ToolResult, messages.Member(arguments, "content").Text())
	if messages.Member(arguments, "status").Text() == "error" {
		toolError(s)
	}
	s.Use(from)
	return true
}

// langChainTask reads a tool that OpenLLMetry's instrumentation of LangChain wrote: its
// name is that of a class unless the result says better.
func langChainTask(s *Span) {
	input := messages.Valid(s.JSON(RawInput))
	for argument := range messages.Items(messages.Member(input, "args")) {
		s.AddText(ToolArguments, argument.Text())
		s.Use(RawInput)
		break
	}
	s.Move(ToolArguments, RawInput)
	langChainTool(s, RawOutput)
	s.Move(ToolResult, RawOutput)
	s.AddText(ToolName, s.Text(RawID))
}
