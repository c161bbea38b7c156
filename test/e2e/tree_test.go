package e2e

import (
	"slices"
	"strings"

	"github.com/jaegertracing/jaeger-idl/model/v1"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// drawAll draws traces as trees, in the order in which they began.
func drawAll(all []stored) string {
	slices.SortFunc(all, func(a, b stored) int { return a.root().StartTime.Compare(b.root().StartTime) })
	drawn := make([]string, len(all))
	for i, each := range all {
		drawn[i] = each.draw()
	}
	return strings.Join(drawn, "\n")
}

// root is the span without a parent in its trace.
func (s stored) root() *model.Span {
	i := slices.IndexFunc(s, func(span *model.Span) bool { return span.ParentSpanID() == 0 })
	return s[max(i, 0)]
}

func (s stored) draw() string {
	var out strings.Builder
	root := s.root()
	out.WriteString(label(root) + "\n")
	s.drawBelow(&out, root, "")
	return out.String()
}

func (s stored) drawBelow(out *strings.Builder, parent *model.Span, indent string) {
	var children []*model.Span
	for _, span := range s {
		if span.ParentSpanID() == parent.SpanID {
			children = append(children, span)
		}
	}
	slices.SortFunc(children, func(a, b *model.Span) int { return a.StartTime.Compare(b.StartTime) })
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		out.WriteString(indent + branch + label(child) + "\n")
		s.drawBelow(out, child, indent+below)
	}
}

// label names the service and the span, and says whether the span has come from another trace.
func label(span *model.Span) string {
	text := span.Process.ServiceName + ": " + span.OperationName
	if slices.ContainsFunc(span.Tags, func(tag model.KeyValue) bool { return tag.Key == mcpconv.OriginalTrace }) {
		text += "  (was a trace of its own)"
	}
	return text
}
