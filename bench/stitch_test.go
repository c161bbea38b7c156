package main

import (
	"context"
	bigendian "encoding/binary"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/groupbytraceprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
)

// off is the configuration of a part that does nothing.
var off = map[string]any{"enabled": false}

// heldFor is the time for which traces of one span, in batches as they come over OTLP, wait.
const heldFor = 5 * time.Millisecond

// BenchmarkStitch lets spans through. In one-span-traces each one is a server's
// root that waits in vain, beside groupbytrace, which holds every trace alike; in
// pairs its client comes after it and the two are joined.
func BenchmarkStitch(b *testing.B) {
	grouped := map[string]any{"wait_duration": heldFor}
	b.Run("one-span-traces", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { hold(b, mcpprocessor.NewFactory(), rewriting(heldFor), servers) })
		b.Run("groupbytrace", func(b *testing.B) { hold(b, groupbytraceprocessor.NewFactory(), grouped, servers) })
	})
	b.Run("pairs", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { hold(b, mcpprocessor.NewFactory(), rewriting(time.Minute), pairs) })
		b.Run("groupbytrace", func(b *testing.B) { hold(b, groupbytraceprocessor.NewFactory(), grouped, pairs) })
	})
	b.Run("no-key", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { hold(b, mcpprocessor.NewFactory(), rewriting(time.Minute), keyless) })
		b.Run("groupbytrace", func(b *testing.B) { hold(b, groupbytraceprocessor.NewFactory(), grouped, keyless) })
	})
}

// BenchmarkStitchLink lets spans through in link mode. Every one has the key.
func BenchmarkStitchLink(b *testing.B) {
	link := map[string]any{"truncate": off, "normalize": off, "stitch": map[string]any{"mode": "link"}}
	for name, of := range map[string]kind{"all-with-key": clients, "all-linked": pairs, "no-key": keyless} {
		b.Run(name+"/ours", func(b *testing.B) { pass(b, start(b, mcpprocessor.NewFactory(), link, new(count)), of) })
	}
}

// pass sends one batch after the other, each of them new, from when as much is
// remembered as may be.
func pass(b *testing.B, p consumer.Traces, of kind) {
	const remembered = 300_000
	var src source
	var td ptrace.Traces
	for range remembered / spansInBatch {
		require.NoError(b, p.ConsumeTraces(b.Context(), src.batch(of)))
	}
	cputime.LoopAfter(b, func() { td = src.batch(of) }, func() {
		if err := p.ConsumeTraces(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	})
}

func rewriting(wait time.Duration) map[string]any {
	return map[string]any{
		"truncate": off, "normalize": off,
		"stitch": map[string]any{"wait": wait, "max_spans": 2_000_000, "max_bytes": int64(8 << 30)},
	}
}

// BenchmarkStitchScale costs what one batch costs when so many spans wait: for
// each that comes, the oldest goes.
func BenchmarkStitchScale(b *testing.B) {
	for _, waiting := range []int{1_000_000, 1000} {
		b.Run("batch/waiting-"+strconv.Itoa(waiting), func(b *testing.B) {
			conf := rewriting(time.Hour)
			conf["stitch"].(map[string]any)["max_spans"] = waiting
			conf["stitch"].(map[string]any)["max_wait"] = time.Hour
			conf["stitch"].(map[string]any)["remember"] = time.Hour
			out := new(count)
			p := start(b, mcpprocessor.NewFactory(), conf, out)
			var src source
			for range waiting / spansInBatch {
				require.NoError(b, p.ConsumeTraces(b.Context(), src.batch(servers)))
			}
			var td ptrace.Traces
			cputime.LoopAfter(b, func() { td = src.batch(servers) }, func() {
				if err := p.ConsumeTraces(b.Context(), td); err != nil {
					b.Fatal(err)
				}
			})
			require.NotZero(b, out.spans.Load())
		})
	}
}

// BenchmarkStitchMemory measures the heap, not what is allocated: B/op is what a
// span takes alone, and when it waits in a processor.
func BenchmarkStitchMemory(b *testing.B) {
	b.Run("waiting", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) {
			p := start(b, mcpprocessor.NewFactory(), rewriting(time.Minute), new(count))
			memory(b, func(td ptrace.Traces) { require.NoError(b, p.ConsumeTraces(b.Context(), td)) })
		})
		b.Run("pdata", func(b *testing.B) {
			var kept []ptrace.Traces
			memory(b, func(td ptrace.Traces) { kept = append(kept, td) })
			runtime.KeepAlive(kept)
		})
		b.Run("groupbytrace", func(b *testing.B) {
			conf := map[string]any{"wait_duration": time.Minute}
			p := start(b, groupbytraceprocessor.NewFactory(), conf, new(count))
			memory(b, func(td ptrace.Traces) { require.NoError(b, p.ConsumeTraces(b.Context(), td)) })
		})
	})
}

// memory keeps a hundred thousand spans, and tells what each takes.
func memory(b *testing.B, keep func(ptrace.Traces)) {
	const batches = 1000
	var src source
	before := heap()
	for range batches {
		keep(src.batch(servers))
	}
	time.Sleep(100 * time.Millisecond) // groupbytrace takes them behind the caller's back
	grown := heap() - before
	b.ReportAllocs()
	for b.Loop() {
	}
	b.ReportMetric(float64(grown)/(batches*spansInBatch), "B/op")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// hold sends batches until as many spans came out as went in.
func hold(b *testing.B, factory processor.Factory, conf map[string]any, of kind) {
	out := new(count)
	p := start(b, factory, conf, out)
	var src source
	batches := make([]ptrace.Traces, heldBatches)
	prepare := func() {
		for i := range batches {
			batches[i] = src.batch(of)
		}
		out.spans.Store(0)
	}
	cputime.LoopAfter(b, prepare, func() {
		for _, td := range batches {
			if err := p.ConsumeTraces(b.Context(), td); err != nil {
				b.Fatal(err)
			}
		}
		for out.spans.Load() < heldBatches*spansInBatch {
			time.Sleep(heldFor)
		}
	})
}

func start(b *testing.B, factory processor.Factory, conf map[string]any, out consumer.Traces) consumer.Traces {
	cfg := factory.CreateDefaultConfig()
	require.NoError(b, confmap.NewFromStringMap(conf).Unmarshal(cfg))
	p, err := factory.CreateTraces(b.Context(), processortest.NewNopSettings(factory.Type()), cfg, out)
	require.NoError(b, err)
	require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
	b.Cleanup(func() { require.NoError(b, p.Shutdown(context.Background())) })
	return p
}

// count is a consumer that counts.
type count struct{ spans atomic.Int64 }

func (*count) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (c *count) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	c.spans.Add(int64(td.SpanCount()))
	return nil
}

// kind names what a source makes.
type kind int

const (
	servers kind = iota // roots of servers, each with a value of its own
	pairs               // the roots of servers, in the next batch their clients
	clients             // clients, each with a value of its own
	keyless             // roots without a value
)

// source makes batches of one-span traces that are like no others.
type source struct{ batches int }

func (s *source) batch(of kind) ptrace.Traces {
	td := tenAttributes("a result of some length, as tools give them")
	rs := td.ResourceSpans().At(0)
	rs.Resource().Attributes().PutStr("service.name", "server")
	for i, span := range rs.ScopeSpans().At(0).Spans().All() {
		n, value, client := s.batches*spansInBatch+i, s.batches*spansInBatch+i, of == clients || of == pairs && s.batches%2 == 1
		if of == pairs && client {
			value -= spansInBatch
		}
		span.SetTraceID(traceID(n))
		span.SetSpanID(pcommon.SpanID(bigendian.BigEndian.AppendUint64(nil, uint64(n+1))))
		span.SetName("workflow.run")
		span.SetKind(ptrace.SpanKindServer)
		if client {
			span.SetName("tool.call")
			span.SetKind(ptrace.SpanKindClient)
		}
		if of != keyless {
			span.Attributes().PutStr("mcp.request_id", fmt.Sprintf("9b1deb4d-3b7d-4bad-9bdd-%012d", value))
		}
	}
	s.batches++
	return overOTLP(td)
}

// traceID looks random, as trace ids do.
func traceID(n int) (id pcommon.TraceID) {
	x := uint64(n+1) * 0x9e3779b97f4a7c15
	bigendian.BigEndian.PutUint64(id[:], x)
	bigendian.BigEndian.PutUint64(id[8:], x^x>>29)
	return id
}

// overOTLP makes what a receiver would: nothing is shared with anything.
func overOTLP(td ptrace.Traces) ptrace.Traces {
	body, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	if err != nil {
		panic(err)
	}
	if td, err = new(ptrace.ProtoUnmarshaler).UnmarshalTraces(body); err != nil {
		panic(err)
	}
	return td
}
