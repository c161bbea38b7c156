package stitch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// twoByTwo is two resources with two spans each; the n-th span has the id n+1.
func twoByTwo() ptrace.Traces {
	td := ptrace.NewTraces()
	for n := range 4 {
		if n%2 == 0 {
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutInt("resource", int64(n/2))
			rs.ScopeSpans().AppendEmpty().Scope().SetName("scope")
		}
		rs := td.ResourceSpans().At(n / 2)
		rs.ScopeSpans().At(0).Spans().AppendEmpty().SetSpanID(pcommon.SpanID{byte(n + 1)})
	}
	return td
}

func held() *heldBatch {
	return newHeldBatch(twoByTwo(), client.Info{}, func(int) int64 { return 10 })
}

func TestDueByEitherDeadline(t *testing.T) {
	w := newWindow(10*time.Second, 25*time.Second)
	at := func(s int) int64 { return int64(time.Duration(s) * time.Second) }
	a, b := w.AddPlaceholder(pcommon.TraceID{1}), w.AddPlaceholder(pcommon.TraceID{2})
	_, waits := w.Next()
	assert.False(t, waits, "no span of them arrived")
	w.Touch(a, at(0))
	w.Touch(b, at(1))
	w.Touch(a, at(9))
	next, waits := w.Next()
	assert.True(t, waits)
	assert.Equal(t, at(11), next)
	assert.Nil(t, w.Due(at(10)))
	assert.Same(t, b, w.Due(at(11)))
	w.Remove(b, func(*waitingSpan) {})
	w.Touch(a, at(18))
	assert.Nil(t, w.Due(at(24)))
	assert.Same(t, a, w.Due(at(25)), "in all")
	assert.Same(t, a, w.Oldest())
	w.Unschedule(a)
	assert.Nil(t, w.Due(at(100)))
	assert.Same(t, a, w.At(a.Handle))
	w.Remove(a, func(*waitingSpan) {})
	assert.Zero(t, w.Len())
	assert.Equal(t, a.Handle, w.AddPlaceholder(pcommon.TraceID{3}).Handle, "handles come again")
}

func TestPartsOfABatch(t *testing.T) {
	w, b := newWindow(time.Second, time.Second), held()
	one, two := w.AddPlaceholder(pcommon.TraceID{1}), w.AddPlaceholder(pcommon.TraceID{2})
	for i := range b.Spans() {
		w.Add([]*trace{one, two}[i%2], &b.Spans()[i])
	}
	assert.Equal(t, 4, w.Spans())
	assert.Greater(t, w.Bytes(), int64(40), "with the resources")

	var outgoing outgoing
	w.Remove(one, outgoing.Add)
	out := outgoing.Flush()
	require.Len(t, out, 1)
	assert.ElementsMatch(t, []byte{1, 3}, ids(out[0].Traces))
	assert.Equal(t, 2, out[0].Spans)
	assert.True(t, outgoing.Empty())
	w.Remove(two, outgoing.Add)
	assert.ElementsMatch(t, []byte{2, 4}, ids(outgoing.Flush()[0].Traces))
	assert.Zero(t, w.Spans())
	assert.Zero(t, w.Bytes())
	assert.Nil(t, outgoing.Flush())
}

// TestWholeBatch: what leaves as it came is not copied.
func TestWholeBatch(t *testing.T) {
	b := held()
	var outgoing outgoing
	for i := range b.Spans() {
		outgoing.Add(&b.Spans()[i])
	}
	out := outgoing.Flush()
	require.Len(t, out, 1)
	assert.Equal(t, twoByTwo(), out[0].Traces)
	assert.Equal(t, b.td, out[0].Traces)
}

func TestSplitTraces(t *testing.T) {
	td := twoByTwo()
	kept := splitTraces(td, func(i int) bool { return i > 0 })
	assert.Equal(t, []byte{1}, ids(td))
	assert.Equal(t, []byte{2, 3, 4}, ids(kept))
	assert.Equal(t, 1, td.ResourceSpans().Len(), "nothing empty is left")
	td = twoByTwo()
	assert.Zero(t, splitTraces(td, func(int) bool { return false }).ResourceSpans().Len())
	assert.Equal(t, twoByTwo(), td)
}

// ids are the spans' ids; it also sees that each is in its own resource.
func ids(td ptrace.Traces) (all []byte) {
	for _, rs := range td.ResourceSpans().All() {
		resource, _ := rs.Resource().Attributes().Get("resource")
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := span.SpanID()
				if int64(id[0]-1)/2 != resource.Int() || ss.Scope().Name() != "scope" {
					return nil
				}
				all = append(all, id[0])
			}
		}
	}
	return all
}
