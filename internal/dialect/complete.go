package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// foreignOperation sets an operation aside that the conventions do not have. It stays
// where it is unless the dialect knows a better one.
func foreignOperation(s *Span) {
	if !s.Own(Operation) {
		return
	}
	if operation := s.Text(Operation); !mcpconv.IsOperation(operation) {
		s.Foreign = operation
		s.Drop(Operation)
	}
}

// complete adds what holds in every dialect.
func complete(s *Span) {
	switch s.Text(Operation) {
	case mcpconv.OperationAgent, mcpconv.OperationWorkflow:
		MarkUsage(s)
	}
	if s.Text(Method) == mcpconv.MethodToolsCall && !s.NoOperation {
		s.AddText(Operation, mcpconv.OperationTool)
		s.AddText(ToolType, mcpconv.ToolTypeMCP)
	}
	if s.IsLog {
		s.WantKind = ptrace.SpanKindUnspecified
		return
	}
	setKind(s)
	setStatus(s)
}

// setKind is the one that the conventions want where an instrumentation set none.
func setKind(s *Span) {
	if s.Kind != ptrace.SpanKindInternal && s.Kind != ptrace.SpanKindUnspecified {
		s.WantKind = ptrace.SpanKindUnspecified
		return
	}
	if s.WantKind != ptrace.SpanKindUnspecified {
		return
	}
	switch s.Text(Operation) {
	case mcpconv.OperationChat, mcpconv.OperationComplete, mcpconv.OperationGenerate, mcpconv.OperationEmbed, mcpconv.OperationRetrieve:
		s.WantKind = client
	}
}

// setStatus adds the type of what failed.
func setStatus(s *Span) {
	if s.saysError() && s.Status == ptrace.StatusCodeUnset && !s.ClientFault {
		s.Failed = true
		s.ErrorText = cmp.Or(s.ErrorText, s.Text(errorMessage))
	}
	if s.ClientFault {
		s.Failed = false
		if code := s.Text(ErrorType); IsCode(code) {
			s.AddText(StatusCode, code)
		}
		return
	}
	if s.Status != statusError && !s.Failed {
		return
	}
	if code := s.Text(StatusCode); code != "" && code != "0" {
		s.AddText(ErrorType, code)
	}
	if !s.Has(ErrorType) {
		TakeException(s)
	}
	s.AddText(ErrorType, s.Text(errorCode))
	if s.Failed {
		s.AddText(ErrorType, mcpconv.TypeOther)
	}
}

// saysError reports whether the Inspector's keys say that the span failed: its status,
// or a code without one.
func (s *Span) saysError() bool {
	if word := s.Text(statusWord); word != "" {
		return word == "error"
	}
	return s.Has(errorCode)
}

// ErrorCode is the Inspector's code of what failed.
func (s *Span) ErrorCode() string {
	text := strings.ToLower(s.Text(ErrorType))
	switch code := s.Text(StatusCode); {
	case code == "-32602" || text == "-32602":
		return mcpconv.CodeInvalidParams
	case (code == "-32601" || text == "-32601") && s.Text(Method) == mcpconv.MethodToolsCall:
		return mcpconv.CodeUnknownTool
	case strings.Contains(text, "timeout"), strings.Contains(text, "timed_out"):
		return mcpconv.CodeTimeout
	case strings.Contains(text, "cancel"), strings.Contains(text, "abort"):
		return mcpconv.CodeCancelled
	}
	return mcpconv.CodeServerError
}

// IsCall reports whether the span is of one of the families that have an outcome of
// their own: tool calls, model calls, resources, prompts, agents, requests of MCP.
func (s *Span) IsCall() bool { return s.Has(Operation) || s.Has(Method) }

// ConventionalName is the name that the conventions want: the method or the
// operation, and what it is about. "" if neither is known.
func (s *Span) ConventionalName() string {
	if method := s.Text(Method); method != "" {
		return named(method, cmp.Or(s.Text(ToolName), s.Text(PromptName)))
	}
	switch operation := s.Text(Operation); operation {
	case "":
		return ""
	case mcpconv.OperationTool:
		return named(operation, s.Text(ToolName))
	case mcpconv.OperationAgent, mcpconv.OperationCreate:
		return named(operation, s.Text(AgentName))
	case mcpconv.OperationWorkflow:
		return named(operation, s.Text(WorkflowName))
	default:
		return named(operation, s.Text(RequestModel))
	}
}

func named(what, target string) string {
	if target == "" {
		return what
	}
	return what + " " + target
}

// MarkUsage marks a span around calls of a model whose tokens it repeats, if it has any.
func MarkUsage(s *Span) {
	if s.Repeats == "" && (s.Has(InputTokens) || s.Has(OutputTokens)) {
		s.Repeats = mcpconv.RepeatsUsage
	}
}
