package attribute

import (
	"cmp"
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// spanNames are the names that calls with these methods get.
var spanNames = map[string]string{
	mcpconv.MethodToolsCall: mcpconv.SpanTool, mcpconv.MethodResourcesRead: mcpconv.SpanResource,
	mcpconv.MethodPromptsGet: mcpconv.SpanPrompt, mcpconv.MethodSampling: mcpconv.SpanLLM,
	mcpconv.MethodElicitation: mcpconv.SpanSignalWait, mcpconv.MethodRequestPermit: mcpconv.SpanSignalWait,
	mcpconv.MethodSessionPrompt: mcpconv.SpanAgent,
}

// operations are the span names of what is no request, but an agent's own doing.
var operations = map[string]string{
	mcpconv.OperationTool: mcpconv.SpanTool, mcpconv.OperationChat: mcpconv.SpanLLM, mcpconv.OperationAgent: mcpconv.SpanAgent,
	mcpconv.OperationGenerate: mcpconv.SpanLLM, mcpconv.OperationComplete: mcpconv.SpanLLM,
}

// CallName is the name that the span of a call will have.
func CallName(m pcommon.Map) string {
	method := cmp.Or(Str(m, mcpconv.RPCMethod), Str(m, mcpconv.MethodName))
	name := cmp.Or(spanNames[method], method, operations[Str(m, mcpconv.GenAIOperation)])
	if name == "" && (Str(m, mcpconv.ToolName) != "" || Str(m, mcpconv.GenAIToolName) != "") {
		name = mcpconv.SpanTool
	}
	return cmp.Or(name, "call")
}

// AnnouncedAs is the span that the record of the start named, zero if it is the one
// that has the attributes.
func AnnouncedAs(m pcommon.Map) pcommon.SpanID { return ParseSpanID(Str(m, mcpconv.AnnouncedAs)) }

// ParseSpanID reads the id of a span, zero if the text is none.
func ParseSpanID(text string) (id pcommon.SpanID) {
	if len(text) != hex.EncodedLen(len(id)) {
		return id
	}
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		return pcommon.SpanID{}
	}
	return id
}
