package e2e

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// drawAll draws traces as trees, in the order in which they began.
func drawAll(all [][]place) string {
	slices.SortFunc(all, func(a, b []place) int { return byStart(rootOf(a), rootOf(b)) })
	drawn := make([]string, len(all))
	for i, each := range all {
		var out strings.Builder
		root := rootOf(each)
		out.WriteString(label(root) + "\n")
		drawBelow(&out, each, root, "")
		drawn[i] = out.String()
	}
	return strings.Join(drawn, "\n")
}

func byStart(a, b place) int { return cmp.Compare(a.span.StartTimestamp(), b.span.StartTimestamp()) }

// rootOf is the span without a parent in its trace.
func rootOf(trace []place) place {
	i := slices.IndexFunc(trace, func(p place) bool { return p.span.ParentSpanID().IsEmpty() })
	return trace[max(i, 0)]
}

func drawBelow(out *strings.Builder, trace []place, parent place, indent string) {
	var children []place
	for _, p := range trace {
		if p.span.ParentSpanID() == parent.span.SpanID() {
			children = append(children, p)
		}
	}
	slices.SortFunc(children, byStart)
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		out.WriteString(indent + branch + label(child) + "\n")
		drawBelow(out, trace, child, indent+below)
	}
}

// label names the service and the span, and says whether the span has come from another trace.
func label(p place) string {
	service, _ := p.resource.Resource().Attributes().Get("service.name")
	text := service.Str() + ": " + p.span.Name()
	if _, ok := p.span.Attributes().Get(mcpconv.OriginalTrace); ok {
		text += "  (was a trace of its own)"
	}
	return text
}
