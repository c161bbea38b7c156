package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// requireView: docs/agents.md shows the session of Claude Code as it is.
func (all shown) requireView(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(harness.Root, "docs", "agents.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "```\n"+all.draw("claude-code")+"```\n")
}

// draw draws the traces whose root is a service's, and those that they link to, as trees:
// the first to begin first.
func (all shown) draw(service string) string {
	roots := map[pcommon.SpanID]span{}
	for _, trace := range all {
		for _, s := range trace {
			if s.service != service || !s.ParentSpanID().IsEmpty() {
				continue
			}
			roots[s.SpanID()] = s
			for _, l := range s.Links().All() {
				roots[l.SpanID()] = all[l.TraceID()][l.SpanID()]
			}
		}
	}
	var drawn []string
	for _, root := range slices.SortedFunc(maps.Values(roots), inOrder) {
		var out strings.Builder
		out.WriteString(all.label(root) + "\n")
		all.drawBelow(&out, root, "")
		drawn = append(drawn, out.String())
	}
	return strings.Join(drawn, "\n")
}

func inOrder(a, b span) int {
	return cmp.Or(cmp.Compare(a.StartTimestamp(), b.StartTimestamp()), cmp.Compare(b.EndTimestamp(), a.EndTimestamp()), strings.Compare(a.Name(), b.Name()))
}

func (all shown) drawBelow(out *strings.Builder, parent span, indent string) {
	var children []span
	for _, s := range all[parent.TraceID()] {
		if s.ParentSpanID() == parent.SpanID() {
			children = append(children, s)
		}
	}
	slices.SortFunc(children, inOrder)
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		out.WriteString(indent + branch + all.label(child) + "\n")
		all.drawBelow(out, child, indent+below)
	}
}

// label names a span, says whether it failed, and which root it links to.
func (all shown) label(s span) string {
	text := []string{s.Name()}
	if s.Status().Code() == ptrace.StatusCodeError {
		text = append(text, "(error)")
	}
	for _, l := range s.Links().All() {
		if to, ok := all[l.TraceID()][l.SpanID()]; ok && s.ParentSpanID().IsEmpty() {
			text = append(text, "(links to "+to.Name()+")")
		}
	}
	return strings.Join(text, "  ")
}
