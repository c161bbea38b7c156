package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/sync/errgroup"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Both sides of a call by the SDKs of MCP and OpenTelemetry: what they send is sent in all
// orders and batches, each as traces of its own. Rewriting makes one tree of the two traces,
// linking changes no id and gives one link, and the web UI has one row.
func TestStitchingInAnyOrder(t *testing.T) {
	spans := aCallsC(t)
	require.Len(t, spans, 4)
	otlp, ui, rewritten, linked := harness.FreeAddress(t), harness.FreeAddress(t), harness.StartSink(t), harness.StartSink(t)
	startCollector(t, "stitchingorder.yaml", map[string]string{
		"OTLP_ADDRESS": otlp, "UI_ADDRESS": ui, "REWRITE_ADDRESS": rewritten.Address, "LINK_ADDRESS": linked.Address, "TRACES_DIR": t.TempDir(),
	})
	var sending errgroup.Group
	sending.SetLimit(16)
	worlds := 0
	for _, order := range orders(spans) {
		for cuts := range 1 << (len(order) - 1) {
			world := worlds
			worlds++
			sending.Go(func() error { return sendInBatches("http://"+otlp+"/v1/traces", world, order, cuts) })
		}
	}
	require.NoError(t, sending.Wait())
	require.Equal(t, 192, worlds)
	for mode, sink := range map[string]*harness.Sink{"rewrite": rewritten, "link": linked} {
		harness.Eventually(t, "spans are missing: "+mode, func() bool { return sink.Received().SpanCount() == worlds*len(spans) })
		for world, got := range byWorld(sink.Received()) {
			if mode == "link" {
				requireLinked(t, world, got)
			} else {
				requireJoined(t, world, got)
			}
		}
	}
	harness.Eventually(t, "the web UI does not show one row for each pair", func() bool { return rowsOf(t, ui) == worlds })
}

// aCallsC runs a client and a server, and returns their spans.
func aCallsC(t *testing.T) (spans []ptrace.Traces) {
	t.Helper()
	var mu sync.Mutex
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		request := ptraceotlp.NewExportRequest()
		assert.NoError(t, request.UnmarshalProto(body))
		mu.Lock()
		defer mu.Unlock()
		spans = append(spans, single(request.Traces())...)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer backend.Close()
	env, path, address := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + backend.URL}, harness.Program(t, "instrumented"), harness.FreeAddress(t)
	server := harness.Start(t, "c", path, env, []string{"-name", "c", "-listen", address})
	server.Ready(t, func() bool { return harness.Listens(address) })
	harness.Start(t, "a", path, env, []string{"-name", "a", "-next", "http://" + address}).Wait(t)
	server.Terminate(t)
	return spans
}

// single returns each span with its resource and scope.
func single(td ptrace.Traces) (all []ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				one := ptrace.NewTraces()
				to := one.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(to.Resource())
				scope := to.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(scope.Scope())
				span.CopyTo(scope.Spans().AppendEmpty())
				all = append(all, one)
			}
		}
	}
	return all
}

func orders(spans []ptrace.Traces) (all [][]ptrace.Traces) {
	if len(spans) < 2 {
		return [][]ptrace.Traces{spans}
	}
	for i := range spans {
		for _, tail := range orders(slices.Delete(slices.Clone(spans), i, i+1)) {
			all = append(all, append([]ptrace.Traces{spans[i]}, tail...))
		}
	}
	return all
}

const worldKey = "test.world"

// sendInBatches sends the spans in that order, as traces and a call of that world; a bit of
// cuts ends a batch behind its span.
func sendInBatches(url string, world int, order []ptrace.Traces, cuts int) error {
	batch := ptrace.NewTraces()
	for i, one := range order {
		of := ptrace.NewTraces()
		one.CopyTo(of)
		span := spanOf(of)
		id := span.TraceID()
		binary.BigEndian.PutUint32(id[:4], uint32(world+1))
		span.SetTraceID(id)
		span.Attributes().PutInt(worldKey, int64(world))
		if v, ok := span.Attributes().Get(mcpconv.RequestID); ok {
			v.SetStr(v.Str() + strconv.Itoa(world))
		}
		of.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans())
		if i < len(order)-1 && cuts&(1<<i) == 0 {
			continue
		}
		body, err := ptraceotlp.NewExportRequestFromTraces(batch).MarshalProto()
		if err != nil {
			return err
		}
		response, err := http.Post(url, "application/x-protobuf", bytes.NewReader(body))
		if err != nil {
			return err
		}
		response.Body.Close()
		batch = ptrace.NewTraces()
	}
	return nil
}

func spanOf(one ptrace.Traces) ptrace.Span {
	return one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

// pair holds what came of one world: the spans of both sides by service and name.
type pair map[string]ptrace.Span

func byWorld(td ptrace.Traces) map[int64]pair {
	worlds := map[int64]pair{}
	for _, one := range single(td) {
		span := spanOf(one)
		world, _ := span.Attributes().Get(worldKey)
		service, _ := one.ResourceSpans().At(0).Resource().Attributes().Get("service.name")
		if worlds[world.Int()] == nil {
			worlds[world.Int()] = pair{}
		}
		worlds[world.Int()][service.Str()+" "+span.Name()] = span
	}
	return worlds
}

func requireJoined(t *testing.T, world int64, p pair) {
	t.Helper()
	trace := p["a workflow.run"].TraceID()
	for name, span := range p {
		require.Equal(t, trace, span.TraceID(), "%d: %s", world, name)
	}
	for child, parent := range map[string]string{"a tool.call": "a workflow.run", "c workflow.run": "a tool.call", "c think": "c workflow.run"} {
		require.Equal(t, p[parent].SpanID(), p[child].ParentSpanID(), "%d: %s", world, child)
	}
}

func requireLinked(t *testing.T, world int64, p pair) {
	t.Helper()
	call, root := p["a tool.call"], p["c workflow.run"]
	require.NotEqual(t, call.TraceID(), root.TraceID())
	require.True(t, root.ParentSpanID().IsEmpty())
	var links []pcommon.TraceID
	for name, span := range p {
		for _, link := range span.Links().All() {
			require.NotEqual(t, span.TraceID(), link.TraceID(), "%d: %s", world, name)
			links = append(links, link.TraceID())
		}
	}
	require.Len(t, links, 1, "%d", world)
	require.Contains(t, []pcommon.TraceID{call.TraceID(), root.TraceID()}, links[0])
}

// rowsOf returns how many sessions the web UI shows.
func rowsOf(t *testing.T, ui string) int {
	t.Helper()
	response, err := http.Get("http://" + ui + "/_inspector/sessions?limit=1000")
	require.NoError(t, err)
	defer response.Body.Close()
	var list struct{ Sessions []struct{} }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
	return len(list.Sessions)
}
