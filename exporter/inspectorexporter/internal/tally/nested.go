package tally

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
)

// nested is one of the two spans that a framework and its MCP client make of one call:
// the framework's is the parent.
type nested struct {
	id    pcommon.SpanID // of the parent, whichever of the two was counted
	inner bool           // the child was counted
	tool  string
}

// maxNested is how many calls are remembered to find the other of the two.
const maxNested = 64

// isNested reports whether the other of the two was counted. They are of the same tool,
// but for a prefix that the framework sets before the name; a tool that calls others
// under its own name is another call.
func (t *Tally) isNested(span ptrace.Span) bool {
	tool := facts.Tool(span.Attributes())
	if tool == "" {
		return false
	}
	n := nested{id: span.SpanID(), tool: tool}
	if facts.OnWire(span) {
		n = nested{id: span.ParentSpanID(), tool: tool, inner: true}
	}
	if n.id.IsEmpty() {
		return false
	}
	if slices.ContainsFunc(t.nested.Items, n.isOther) {
		return true
	}
	t.nested.Add(n, maxNested)
	return false
}

func (n nested) isOther(o nested) bool {
	if n.id != o.id || n.inner == o.inner {
		return false
	}
	if n.inner {
		n, o = o, n
	}
	return facts.SameTool(n.tool, o.tool)
}
