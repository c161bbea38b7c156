package stitch

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// sink is a next consumer that may refuse. If it mutates data, it changes what it
// refuses.
type sink struct {
	refuse  func() error
	mutates bool
	got     []ptrace.Traces
}

var errRefusedByTest = errors.New("not now")

func (s *sink) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: s.mutates}
}

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	if s.refuse != nil {
		if err := s.refuse(); err != nil {
			if s.mutates {
				td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true })
			}
			return err
		}
	}
	s.got = append(s.got, td)
	return nil
}

// fixture is a stitcher that only the test drives. Its clock is at.
type fixture struct {
	*Stitcher
	cfg  *Config
	sink *sink
	at   time.Duration
}

func configOf(change ...func(*Config)) *Config {
	cfg := DefaultConfig()
	for _, f := range change {
		f(&cfg)
	}
	return &cfg
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newFixture(tb testing.TB, cfg *Config) *fixture {
	tb.Helper()
	set := componenttest.NewNopTelemetrySettings()
	telemetry, err := metadata.NewTelemetryBuilder(set)
	require.NoError(tb, err)
	f := &fixture{cfg: cfg, sink: &sink{}}
	f.Stitcher = newStitcher(set, cfg, telemetry, f.sink)
	f.clock = func() int64 { return int64(f.at) }
	return f
}

func (f *fixture) sweep() { f.timer.sweep() }
func (f *fixture) check() { f.timer.status.setIndex(f.shared.check()) }
func (f *fixture) poll()  { f.shared.poll() }

// advance lets time pass, and releases what is due.
func (f *fixture) advance(d time.Duration) {
	f.at += d
	f.sweep()
}

// one is a span with what is around it.
type one struct {
	rs   ptrace.ResourceSpans
	ss   ptrace.ScopeSpans
	span ptrace.Span
}

func each(tds []ptrace.Traces) (all []one) {
	for _, td := range tds {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					all = append(all, one{rs, ss, span})
				}
			}
		}
	}
	return all
}

// spec is a span of a generated world.
type spec struct {
	n      int // which copy it is
	trace  pcommon.TraceID
	id     pcommon.SpanID
	parent pcommon.SpanID
	name   string
	kind   ptrace.SpanKind
	value  string
	ours   bool
}

func (s *spec) addTo(td ptrace.Traces) {
	rs := td.ResourceSpans().AppendEmpty()
	if n := td.ResourceSpans().Len(); n > 1 && s.n%2 == 0 {
		td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { n--; return n == 0 })
		rs = td.ResourceSpans().At(td.ResourceSpans().Len() - 1)
	} else {
		rs.Resource().Attributes().PutInt("resource", int64(s.n))
		rs.SetSchemaUrl("r")
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl("s")
	ss.Scope().SetName("other")
	if s.ours {
		ss.Scope().SetName(mcpconv.ReceiverScope)
	}
	s.fill(ss.Spans().AppendEmpty())
}

func (s *spec) fill(span ptrace.Span) {
	span.SetTraceID(s.trace)
	span.SetSpanID(s.id)
	span.SetParentSpanID(s.parent)
	span.SetName(s.name)
	span.SetKind(s.kind)
	span.TraceState().FromRaw("a=b")
	span.Status().SetMessage("fine")
	span.Events().AppendEmpty().SetName("event")
	span.Links().AppendEmpty().SetSpanID(s.id)
	span.Attributes().PutInt("n", int64(s.n))
	if s.value != "" {
		span.Attributes().PutStr(mcpconv.RequestID, s.value)
	}
}

func (s *spec) claims() bool {
	return len(s.value) >= 8 && (s.name == mcpconv.SpanTool || s.kind == ptrace.SpanKindClient)
}

func (s *spec) serves() bool {
	return len(s.value) >= 8 && s.parent.IsEmpty() && !s.ours &&
		s.kind != ptrace.SpanKindClient && (s.name == mcpconv.SpanWorkflow || s.kind == ptrace.SpanKindServer)
}

// world holds what is sent, in order.
type world struct {
	specs []spec
	clean bool // no value is claimed twice
}

// worlds generates traces of random trees that call each other at random.
func worlds(t *rapid.T, clean, withOurs bool) world {
	w := world{clean: clean}
	values := rapid.IntRange(1, 6).Draw(t, "values")
	claimed := map[int]bool{}
	value := func(label string, claim bool) string {
		v := rapid.IntRange(-2, values).Draw(t, label)
		switch {
		case v == -2:
			return "short"
		case v <= 0 || claim && clean && claimed[v]:
			return ""
		}
		claimed[v] = claimed[v] || claim
		return fmt.Sprintf("request-%d", v)
	}
	for trace := range rapid.IntRange(1, 7).Draw(t, "traces") {
		id := pcommon.TraceID{15: byte(trace + 1), 0: rapid.Byte().Draw(t, "id")}
		ours := withOurs && rapid.IntRange(0, 5).Draw(t, "ours") == 0
		spans := rapid.IntRange(1, 5).Draw(t, "spans")
		for i := range spans {
			s := spec{trace: id, ours: ours, name: "work", kind: ptrace.SpanKindInternal}
			binary.BigEndian.PutUint64(s.id[:], uint64(trace*100+i+1))
			if i == 0 {
				s.name = rapid.SampledFrom([]string{"work", mcpconv.SpanWorkflow, mcpconv.SpanWorkflow}).Draw(t, "root")
				s.kind = rapid.SampledFrom([]ptrace.SpanKind{ptrace.SpanKindInternal, ptrace.SpanKindServer, ptrace.SpanKindServer, ptrace.SpanKindClient}).Draw(t, "kind")
			} else {
				binary.BigEndian.PutUint64(s.parent[:], uint64(trace*100+rapid.IntRange(0, i-1).Draw(t, "parent")+1))
				if rapid.Bool().Draw(t, "client") {
					s.name, s.kind = mcpconv.SpanTool, ptrace.SpanKindClient
				}
			}
			s.value = value("value", s.name == mcpconv.SpanTool || s.kind == ptrace.SpanKindClient)
			w.specs = append(w.specs, s)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "copies") {
		w.specs = append(w.specs, w.specs[rapid.IntRange(0, len(w.specs)-1).Draw(t, "copy")])
	}
	w.specs = rapid.Permutation(w.specs).Draw(t, "order")
	for i := range w.specs {
		w.specs[i].n = i
	}
	return w
}

// end is where a trace should go.
type end struct {
	final  pcommon.TraceID
	parent pcommon.SpanID // of its root
}

// ends computes it in another way than the modes: all is known at once.
func (w *world) ends() map[pcommon.TraceID]end {
	claims, to, ends := map[string]*spec{}, map[pcommon.TraceID]*spec{}, map[pcommon.TraceID]end{}
	for i := range w.specs {
		if s := &w.specs[i]; s.claims() {
			claims[s.value] = s
		}
	}
	for i := range w.specs {
		s := &w.specs[i]
		if c := claims[s.value]; s.serves() && c != nil && c.trace != s.trace {
			to[s.trace] = c
		}
	}
	for i := range w.specs {
		id := w.specs[i].trace
		if _, ok := ends[id]; !ok {
			final := follow(id, to)
			ends[id] = end{final: final}
			if final != id {
				ends[id] = end{final, to[id].id}
			}
		}
	}
	return ends
}

// follow goes from client to client; of a ring the smallest id is the end.
func follow(id pcommon.TraceID, to map[pcommon.TraceID]*spec) pcommon.TraceID {
	var path []pcommon.TraceID
	for {
		if i := slices.Index(path, id); i >= 0 {
			return slices.MinFunc(path[i:], func(a, b pcommon.TraceID) int { return bytes.Compare(a[:], b[:]) })
		}
		path = append(path, id)
		c, ok := to[id]
		if !ok {
			return id
		}
		id = c.trace
	}
}

// tb has what both tests and rapid's have.
type tb interface {
	require.TestingT
	Helper()
}

// checkOut holds for whatever went in, however it was sent.
func (w *world) checkOut(t tb, out []ptrace.Traces) {
	t.Helper()
	seen := map[int]bool{}
	finals := map[pcommon.TraceID]pcommon.TraceID{}
	for _, o := range each(out) {
		n, ok := o.span.Attributes().Get("n")
		require.True(t, ok)
		i := int(n.Int())
		require.False(t, seen[i], "span %d came twice", i)
		seen[i] = true
		s := &w.specs[i]
		w.checkSpan(t, s, o)
		if final, ok := finals[s.trace]; ok {
			require.Equal(t, final, o.span.TraceID(), "trace %v is in two", s.trace)
		}
		finals[s.trace] = o.span.TraceID()
	}
	require.Len(t, seen, len(w.specs), "spans are missing")
	checkNoRing(t, out)
}

// checkSpan checks that nothing changed but what may.
func (w *world) checkSpan(t tb, s *spec, o one) {
	t.Helper()
	want := ptrace.NewSpan()
	s.fill(want)
	got := ptrace.NewSpan()
	o.span.CopyTo(got)
	links := 0
	got.Links().RemoveIf(func(ptrace.SpanLink) bool { links++; return links > 1 })
	if got.TraceID() != s.trace && s.parent.IsEmpty() {
		require.False(t, got.ParentSpanID().IsEmpty(), "the root of a joined trace has no parent")
		require.Equal(t, hex.EncodeToString(s.trace[:]), got.Attributes().AsRaw()[mcpconv.OriginalTrace])
		require.Equal(t, hex.EncodeToString(s.id[:]), got.Attributes().AsRaw()[mcpconv.OriginalSpan])
		got.Attributes().Remove(mcpconv.OriginalTrace)
		got.Attributes().Remove(mcpconv.OriginalSpan)
		got.SetParentSpanID(pcommon.SpanID{})
	}
	got.SetTraceID(s.trace)
	require.Equal(t, want, got)
	require.Equal(t, "r", o.rs.SchemaUrl())
	require.Equal(t, "s", o.ss.SchemaUrl())
	require.Equal(t, s.ours, o.ss.Scope().Name() == mcpconv.ReceiverScope)
	_, ok := o.rs.Resource().Attributes().Get("resource")
	require.True(t, ok)
}

func checkNoRing(t tb, out []ptrace.Traces) {
	t.Helper()
	type key struct {
		trace pcommon.TraceID
		span  pcommon.SpanID
	}
	parents := map[key]key{}
	for _, o := range each(out) {
		parents[key{o.span.TraceID(), o.span.SpanID()}] = key{o.span.TraceID(), o.span.ParentSpanID()}
	}
	for k := range parents {
		for steps := 0; ; steps++ {
			require.LessOrEqual(t, steps, len(parents), "a span is its own ancestor")
			up, ok := parents[k]
			if !ok {
				break
			}
			k = up
		}
	}
}

// checkEnds checks that each trace went where it should.
func (w *world) checkEnds(t tb, out []ptrace.Traces) {
	t.Helper()
	ends := w.ends()
	for _, o := range each(out) {
		n, _ := o.span.Attributes().Get("n")
		s := &w.specs[n.Int()]
		require.Equal(t, ends[s.trace].final, o.span.TraceID(), "span %d of trace %v", n.Int(), s.trace)
		if s.parent.IsEmpty() {
			require.Equal(t, ends[s.trace].parent, o.span.ParentSpanID(), "root of trace %v", s.trace)
		}
	}
}

// batches splits the world.
func (w *world) batches(t *rapid.T) (out [][]spec) {
	rest := w.specs
	for len(rest) > 0 {
		n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
		out = append(out, rest[:n])
		rest = rest[n:]
	}
	return out
}

func tracesOf(specs []spec) ptrace.Traces {
	td := ptrace.NewTraces()
	for i := range specs {
		specs[i].addTo(td)
	}
	return td
}
