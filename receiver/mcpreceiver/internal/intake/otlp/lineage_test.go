package otlp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A tree of which b, c and e are an agent's own machinery: a > b > c > d, c > e > f.
var tree = []struct {
	name, parent byte
	internal     bool
}{{'a', 0, false}, {'b', 'a', true}, {'c', 'b', true}, {'d', 'c', false}, {'e', 'c', true}, {'f', 'e', false}}

// TestLineage: in every order, and in one request or in many, a tree stays whole: each span
// that passes has a parent that passes, and one is the root. In one request only what is
// not internal passes.
func TestLineage(t *testing.T) {
	order := []int{0, 1, 2, 3, 4, 5}
	permute(order, 0, func() {
		for _, size := range []int{1, 2, 6} {
			var l lineage
			passed := map[byte]byte{}
			for part := range slices.Chunk(order, size) {
				td := ptrace.NewTraces()
				spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
				var internal []int
				for n, i := range part {
					s := spans.AppendEmpty()
					s.SetTraceID(pcommon.TraceID{1})
					s.SetSpanID(pcommon.SpanID{tree[i].name})
					s.SetParentSpanID(pcommon.SpanID{tree[i].parent})
					if tree[i].internal {
						internal = append(internal, n)
					}
				}
				in := tracesIn{data: td, internal: internal, agents: make([]string, len(internal))}
				in.drop(l.settle(td, internal))
				for _, rs := range td.ResourceSpans().All() {
					for _, s := range rs.ScopeSpans().At(0).Spans().All() {
						passed[s.SpanID()[0]] = s.ParentSpanID()[0]
					}
				}
			}
			roots := 0
			for name, parent := range passed {
				if parent == 0 {
					roots++
					continue
				}
				require.Contains(t, passed, parent, "%c in %v by %d: %v", name, order, size, passed)
			}
			require.Equal(t, 1, roots)
			if size == 6 {
				require.Equal(t, map[byte]byte{'a': 0, 'd': 'a', 'f': 'a'}, passed)
			}
		}
	})
}

func permute(order []int, from int, do func()) {
	if from == len(order) {
		do()
		return
	}
	for i := from; i < len(order); i++ {
		order[from], order[i] = order[i], order[from]
		permute(order, from+1, do)
		order[from], order[i] = order[i], order[from]
	}
}

// What never was a parent of anything, a circle and another trace's span of the same id
// change nothing, and memory is bounded.
func TestLineageHostile(t *testing.T) {
	var l lineage
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for _, s := range [][3]byte{{1, 'x', 'y'}, {1, 'y', 'x'}, {1, 'z', 'y'}, {2, 'w', 'y'}} {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{s[0]})
		span.SetSpanID(pcommon.SpanID{s[1]})
		span.SetParentSpanID(pcommon.SpanID{s[2]})
	}
	require.Equal(t, []int{0, 1}, l.settle(td, []int{0, 1}))
	require.True(t, spans.At(2).ParentSpanID().IsEmpty(), "in a circle nothing is kept")
	require.Equal(t, pcommon.SpanID{'y'}, spans.At(3).ParentSpanID())

	for i := range 5 * lineageMax {
		l.kept(spanKey{pcommon.TraceID{3}, pcommon.SpanID{1, byte(i), byte(i >> 8)}})
	}
	require.LessOrEqual(t, len(l.newer)+len(l.older), 2*lineageMax)
}
