package facts

import (
	"cmp"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// IsTurn reports whether the span is a turn. An agent's own span of one has the
// operation of sub-agents.
func IsTurn(span ptrace.Span) bool {
	_, numbered := span.Attributes().Get(mcpconv.TurnIndex)
	return numbered || span.Name() == mcpconv.SpanTurn
}

// IsTool reports whether the span is a call of a tool.
func IsTool(span ptrace.Span) bool {
	return span.Name() == mcpconv.SpanTool || Str(span.Attributes(), mcpconv.GenAIOperation) == mcpconv.OperationTool
}

// IsModel reports whether the span is a call of a model, and not one that only repeats
// what another call took.
func IsModel(span ptrace.Span) bool {
	m := span.Attributes()
	return span.Name() == mcpconv.SpanLLM ||
		mcpconv.IsModelCall(Str(m, mcpconv.GenAIOperation)) && Str(m, mcpconv.DialectRepeats) != mcpconv.RepeatsUsage
}

// What the flags of a span say of its parent: known, and in the same process.
const (
	parentKnown = 0x300
	parentLocal = 0x100
)

// Served reports whether the span is a server's of a call whose client's span is, as
// far as that can be known, its parent.
func Served(span ptrace.Span) bool {
	return span.Kind() == ptrace.SpanKindServer && !span.ParentSpanID().IsEmpty() && span.Flags()&parentKnown != parentLocal
}

// Refused reports whether a person or a rule refused the tool call.
func Refused(span ptrace.Span) bool {
	decision := strings.ToLower(Str(span.Attributes(), mcpconv.ToolDecision))
	return strings.HasPrefix(decision, "reject") || strings.HasPrefix(decision, "den")
}

// OnWire reports whether the span is an MCP client's of a call of a tool, rather than
// that of the agent or framework which decided on it.
func OnWire(span ptrace.Span) bool {
	m := span.Attributes()
	return span.Kind() == ptrace.SpanKindClient && cmp.Or(Str(m, mcpconv.RPCMethod), Str(m, mcpconv.MethodName)) == mcpconv.MethodToolsCall
}

// Asks reports whether the span is of who makes a call, rather than of what serves it.
func Asks(span ptrace.Span) bool {
	return span.Kind() == ptrace.SpanKindClient || span.Name() == mcpconv.SpanTool
}

// Tool is the name of the tool that is called, "" if there is none.
func Tool(m pcommon.Map) string {
	return Text(cmp.Or(Str(m, mcpconv.ToolName), Str(m, mcpconv.GenAIToolName)))
}

// SameTool reports whether an MCP server's tool of the inner name may be what an agent or
// framework calls by the outer one: it may set a prefix before the name.
func SameTool(outer, inner string) bool {
	prefix, found := strings.CutSuffix(outer, inner)
	return found && (prefix == "" || strings.ContainsAny(prefix[len(prefix)-1:], "_-./:"))
}

// CallID is the id of the call of a tool, or of a model's answer, "" if it has none.
func CallID(m pcommon.Map) string {
	return cmp.Or(Str(m, mcpconv.GenAIToolCallID), Str(m, mcpconv.ToolCallID), Str(m, mcpconv.GenAIResponseID))
}

// IsFrame reports whether the span is of a session itself, rather than of what is done
// in it.
func IsFrame(span ptrace.Span) bool {
	switch span.Name() {
	case mcpconv.SpanWorkflow, mcpconv.SpanSummary, mcpconv.SpanSessionStart, mcpconv.SpanPhase:
		return true
	}
	return false
}

// IsWhole reports whether the span is of a session as a whole: that it failed is how the
// session ended.
func IsWhole(span ptrace.Span) bool {
	return span.ParentSpanID().IsEmpty() && (span.Name() == mcpconv.SpanWorkflow || Str(span.Attributes(), mcpconv.SessionEndReason) != "")
}

// Exit says that a server's process failed, if nothing else tells of it.
func Exit(m pcommon.Map) string {
	code, _ := Int(m, mcpconv.ExitCode)
	if code == 0 {
		return ""
	}
	return fmt.Sprintf("The server ended with exit code %d", code)
}
