package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// assertGolden compares whole spans with the golden file, or writes it anew.
func assertGolden(t *testing.T, path string, actual ptrace.Traces) {
	t.Helper()
	if *update {
		require.NoError(t, golden.WriteTracesToFile(path, regrouped(actual)))
		return
	}
	assertSameSpans(t, readGolden(t, path), actual)
}

func readGolden(t *testing.T, path string) ptrace.Traces {
	t.Helper()
	traces, err := golden.ReadTraces(path)
	require.NoError(t, err)
	return traces
}

// assertSameSpans compares everything but how spans were batched: which of
// them share an export request depends on when their calls ended.
func assertSameSpans(t *testing.T, expected, actual ptrace.Traces) {
	t.Helper()
	expected, actual = regrouped(expected), regrouped(actual)
	assert.Equal(t, spanNames(expected), spanNames(actual), "spans by start")
	assert.NoError(t, ptracetest.CompareTraces(expected, actual))
	assert.Equal(t, spanFlags(expected), spanFlags(actual), "flags, which CompareTraces leaves out")
}

// place is a span with the resource and scope it came under.
type place struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
	span     ptrace.Span
}

func places(traces ptrace.Traces) (all []place) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, place{rs, ss, span})
			}
		}
	}
	return all
}

// group tells resources and scopes apart by all they hold.
func (p place) group() string {
	return fmt.Sprint(p.resource.Resource().Attributes().AsRaw(), p.resource.SchemaUrl(), p.scope.SchemaUrl(),
		p.scope.Scope().Name(), p.scope.Scope().Version(), p.scope.Scope().Attributes().AsRaw())
}

func byGroupAndStart(a, b place) int {
	aID, bID := a.span.SpanID(), b.span.SpanID()
	return cmp.Or(
		cmp.Compare(a.group(), b.group()),
		cmp.Compare(a.span.StartTimestamp(), b.span.StartTimestamp()),
		cmp.Compare(a.span.Name(), b.span.Name()),
		bytes.Compare(aID[:], bID[:]),
	)
}

// regrouped holds the same spans with one entry a resource and scope, and the
// spans in it by start.
func regrouped(traces ptrace.Traces) ptrace.Traces {
	all := places(traces)
	slices.SortStableFunc(all, byGroupAndStart)
	sorted := ptrace.NewTraces()
	var spans ptrace.SpanSlice
	for i, p := range all {
		if i == 0 || p.group() != all[i-1].group() {
			spans = appendGroup(sorted, p)
		}
		p.span.CopyTo(spans.AppendEmpty())
	}
	return sorted
}

func appendGroup(to ptrace.Traces, p place) ptrace.SpanSlice {
	rs := to.ResourceSpans().AppendEmpty()
	p.resource.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(p.resource.SchemaUrl())
	ss := rs.ScopeSpans().AppendEmpty()
	p.scope.Scope().CopyTo(ss.Scope())
	ss.SetSchemaUrl(p.scope.SchemaUrl())
	return ss.Spans()
}

func spanNames(traces ptrace.Traces) (names []string) {
	for _, p := range places(traces) {
		names = append(names, p.span.StartTimestamp().AsTime().Format("15:04:05.000000 ")+p.span.Name())
	}
	return names
}

func spanFlags(traces ptrace.Traces) map[pcommon.SpanID][]uint32 {
	flags := map[pcommon.SpanID][]uint32{}
	for _, p := range places(traces) {
		flags[p.span.SpanID()] = append(flags[p.span.SpanID()], p.span.Flags())
		for _, link := range p.span.Links().All() {
			flags[p.span.SpanID()] = append(flags[p.span.SpanID()], link.Flags())
		}
	}
	return flags
}

// traceIDs are the traces that the spans belong to.
func traceIDs(traces ptrace.Traces) (ids []pcommon.TraceID) {
	for _, p := range places(traces) {
		if !slices.Contains(ids, p.span.TraceID()) {
			ids = append(ids, p.span.TraceID())
		}
	}
	return ids
}
