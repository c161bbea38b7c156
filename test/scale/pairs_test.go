package scale

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// pair is a call as two processes see it: two traces with nothing in common but the request's id.
type pair struct {
	id     string
	client pcommon.TraceID
	server pcommon.TraceID
	call   pcommon.SpanID // tool.call of the client
	root   pcommon.SpanID // workflow.run of the server, without a parent
	work   pcommon.SpanID // below it
	agent  pcommon.SpanID // root of the client
}

func newPairs(count int) (pairs []pair) {
	for range count {
		pairs = append(pairs, pair{
			id: fmt.Sprintf("request-%016x", rand.Uint64()), client: newTraceID(), server: newTraceID(),
			call: newSpanID(), root: newSpanID(), work: newSpanID(), agent: newSpanID(),
		})
	}
	return pairs
}

func newTraceID() pcommon.TraceID { return pcommon.TraceID(append(random8(), random8()...)) }

func newSpanID() pcommon.SpanID { return pcommon.SpanID(random8()) }

func random8() []byte { return binary.BigEndian.AppendUint64(nil, rand.Uint64()) }

// clientSide and serverSide are what the two processes send.
func clientSide(pairs ...pair) ptrace.Traces {
	traces := ptrace.NewTraces()
	for _, p := range pairs {
		spans := newScope(traces, "client")
		newSpan(spans, p.client, p.agent, pcommon.SpanID{}, "agent.run", ptrace.SpanKindInternal)
		call := newSpan(spans, p.client, p.call, p.agent, "tool.call", ptrace.SpanKindClient)
		call.Attributes().PutStr("mcp.request_id", p.id)
	}
	return traces
}

func serverSide(pairs ...pair) ptrace.Traces {
	traces := ptrace.NewTraces()
	for _, p := range pairs {
		spans := newScope(traces, "server")
		newSpan(spans, p.server, p.work, p.root, "work", ptrace.SpanKindInternal)
		root := newSpan(spans, p.server, p.root, pcommon.SpanID{}, "workflow.run", ptrace.SpanKindServer)
		root.Attributes().PutStr("mcp.request_id", p.id)
	}
	return traces
}

func newScope(traces ptrace.Traces, service string) ptrace.SpanSlice {
	resource := traces.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", service)
	return resource.ScopeSpans().AppendEmpty().Spans()
}

func newSpan(spans ptrace.SpanSlice, trace pcommon.TraceID, id, parent pcommon.SpanID, name string, kind ptrace.SpanKind) ptrace.Span {
	span := spans.AppendEmpty()
	span.SetTraceID(trace)
	span.SetSpanID(id)
	span.SetParentSpanID(parent)
	span.SetName(name)
	span.SetKind(kind)
	span.SetStartTimestamp(1)
	span.SetEndTimestamp(2)
	return span
}

func (p pair) whole(all map[pcommon.SpanID][]ptrace.Span) bool {
	return len(all[p.agent]) > 0 && len(all[p.call]) > 0 && len(all[p.root]) > 0 && len(all[p.work]) > 0
}

// assertJoined: both sides are the client's trace, and all but what must be is as it was sent.
func (p pair) assertJoined(t *testing.T, all map[pcommon.SpanID][]ptrace.Span) {
	t.Helper()
	for _, id := range []pcommon.SpanID{p.agent, p.call, p.root, p.work} {
		for _, span := range all[id] {
			assert.Equal(t, p.client, span.TraceID(), "trace of %s of %s", span.Name(), p.id)
		}
	}
	for _, root := range all[p.root] {
		assert.Equal(t, p.call, root.ParentSpanID(), "parent of %s", p.id)
		for key, want := range map[string]string{mcpconv.OriginalTrace: p.server.String(), mcpconv.OriginalSpan: p.root.String()} {
			got, _ := root.Attributes().Get(key)
			assert.Equal(t, want, got.AsString(), "%s of %s", key, p.id)
		}
	}
	for _, work := range all[p.work] {
		assert.Equal(t, p.root, work.ParentSpanID(), "parent within %s", p.id)
	}
}
