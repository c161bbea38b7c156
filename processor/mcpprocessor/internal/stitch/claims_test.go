package stitch

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Two traces of one call: in the client's a tool.call, and below it the span of the RPC,
// both with the key.
var (
	plan   = spec{trace: pcommon.TraceID{1}, id: pcommon.SpanID{1}, name: "plan"}
	call   = spec{trace: pcommon.TraceID{1}, id: pcommon.SpanID{2}, parent: plan.id, name: mcpconv.SpanTool, value: "request-1"}
	rpc    = spec{trace: pcommon.TraceID{1}, id: pcommon.SpanID{3}, parent: call.id, name: "send_request", kind: ptrace.SpanKindClient, value: "request-1"}
	served = spec{trace: pcommon.TraceID{2}, id: pcommon.SpanID{4}, name: mcpconv.SpanWorkflow, kind: ptrace.SpanKindServer, value: "request-1"}
	query  = spec{trace: pcommon.TraceID{2}, id: pcommon.SpanID{5}, parent: served.id, name: "query"}
)

func permutations(specs []spec) (all [][]spec) {
	if len(specs) < 2 {
		return [][]spec{specs}
	}
	for i := range specs {
		rest := append(append([]spec(nil), specs[:i]...), specs[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, append([]spec{specs[i]}, tail...))
		}
	}
	return all
}

func indexOf(order []spec, id pcommon.SpanID) int {
	for i := range order {
		if order[i].id == id {
			return i
		}
	}
	return -1
}

// everyOrder sends the spans in all orders and batches.
func everyOrder(t *testing.T, mode Mode, specs []spec, check func(order []spec, batches int, out []one)) {
	t.Helper()
	for _, order := range permutations(specs) {
		for i := range order {
			order[i].n = i
		}
		for cuts := range 1 << (len(order) - 1) {
			f := newFixture(t, configOf(func(c *Config) { c.Mode = mode }))
			from := 0
			for i := range order {
				if i == len(order)-1 || cuts&(1<<i) != 0 {
					require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(order[from:i+1])))
					from = i + 1
				}
			}
			f.advance(f.cfg.MaxWait)
			out := each(f.sink.got)
			require.Len(t, out, len(order))
			check(order, cuts, out)
		}
	}
}

// TestCallAndRPCAreOneClaim: with both in one trace, the server's trace goes below the
// outer one, in all orders and batches; below the inner one only if all of the client's
// trace but the outer one had left before.
func TestCallAndRPCAreOneClaim(t *testing.T) {
	everyOrder(t, ModeRewrite, []spec{plan, call, rpc, served, query}, func(order []spec, cuts int, out []one) {
		what := fmt.Sprint(order, cuts)
		want := call.id
		late := indexOf(order, call.id)
		for _, id := range []pcommon.SpanID{plan.id, rpc.id, served.id} {
			if indexOf(order, id) > late {
				late = -1
			}
		}
		for _, o := range out {
			assert.Equal(t, call.trace, o.span.TraceID(), what)
			if o.span.SpanID() == served.id && (late < 0 || o.span.ParentSpanID() != rpc.id) {
				require.Equal(t, want, o.span.ParentSpanID(), what)
			}
			assert.Equal(t, 1, o.span.Links().Len(), "one tree needs no link")
		}
	})
}

// TestCallAndRPCAreLinkedOnce: in all orders and batches there is one link between the
// two traces.
func TestCallAndRPCAreLinkedOnce(t *testing.T) {
	everyOrder(t, ModeLink, []spec{plan, call, rpc, served, query}, func(order []spec, cuts int, out []one) {
		links := 0
		for _, o := range out {
			for _, link := range o.span.Links().All() {
				if !link.TraceID().IsEmpty() {
					links++
					assert.NotEqual(t, o.span.TraceID(), link.TraceID())
				}
			}
		}
		require.Equal(t, 1, links, "%v %b", order, cuts)
	})
}

// TestRetriesInsideACall: two RPCs beside each other are ambiguous until the call comes
// that both are inside of.
func TestRetriesInsideACall(t *testing.T) {
	again := rpc
	again.id = pcommon.SpanID{6}
	everyOrder(t, ModeRewrite, []spec{call, rpc, again, served}, func(order []spec, cuts int, out []one) {
		for _, o := range out {
			require.Equal(t, call.trace, o.span.TraceID(), "%v %b", order, cuts)
			if o.span.SpanID() == served.id {
				require.Equal(t, call.id, o.span.ParentSpanID(), "%v %b", order, cuts)
			}
		}
	})
	// Without it, what came before the second one is joined, and the rest is not.
	f := newFixture(t, configOf())
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{rpc, again})))
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{served})))
	f.advance(f.cfg.MaxWait)
	for _, o := range each(f.sink.got) {
		want := call.trace
		if o.span.SpanID() == served.id {
			want = served.trace
		}
		assert.Equal(t, want, o.span.TraceID())
		assert.Equal(t, 1, o.span.Links().Len())
	}
}

// TestSpansInsideByTime: a span between the two is not needed to know which is outside.
func TestSpansInsideByTime(t *testing.T) {
	for _, outerFirst := range []bool{true, false} {
		f := newFixture(t, configOf(func(c *Config) { c.Mode = ModeLink }))
		inner := rpc
		inner.parent = pcommon.SpanID{9}
		specs := []spec{inner, call}
		if outerFirst {
			specs = []spec{call, inner}
		}
		for _, s := range specs {
			td := tracesOf([]spec{s})
			span := each([]ptrace.Traces{td})[0].span
			span.SetStartTimestamp(10)
			span.SetEndTimestamp(20)
			if s.id == inner.id {
				span.SetStartTimestamp(12)
				span.SetEndTimestamp(19)
			}
			require.NoError(t, f.ConsumeTraces(t.Context(), td))
		}
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{served})))
		out := each(f.sink.got)
		assert.Equal(t, call.id, out[2].span.Links().At(1).SpanID())
	}
}

// TestIntegerKey: an integer counts as its decimal text.
func TestIntegerKey(t *testing.T) {
	f := newFixture(t, configOf(func(c *Config) { c.Mode = ModeLink }))
	client, server := pair("1234567890")
	td := tracesOf([]spec{client})
	each([]ptrace.Traces{td})[0].span.Attributes().PutInt(mcpconv.RequestID, 1234567890)
	require.NoError(t, f.ConsumeTraces(t.Context(), td))
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
	assert.Equal(t, client.id, each(f.sink.got)[1].span.Links().At(1).SpanID())
}
