//go:build unix

package stitch

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// cluster is stitchers that share an index.
type cluster []*fixture

var lastPrefix atomic.Int64

// newReplicas returns stitchers that share nothing with earlier ones.
func newReplicas(tb testing.TB, n int, addr string, cfg *Config) cluster {
	tb.Helper()
	prefix := fmt.Sprintf("test%d:", lastPrefix.Add(1))
	rs := make(cluster, n)
	for i := range rs {
		rs[i] = newFixture(tb, cfg)
		rs[i].useIndex(NewRedis(&RedisOptions{Endpoint: addr, Prefix: prefix, TTL: time.Minute}))
		rs[i].shared.timeout = time.Minute // what is tested here is no haste
		rs[i].check()
	}
	return rs
}

// of is the replica that gets all spans of a trace.
func (rs cluster) of(id pcommon.TraceID, deal map[pcommon.TraceID]int) *fixture {
	return rs[deal[id]%len(rs)]
}

func (rs cluster) out() (all []ptrace.Traces) {
	for _, f := range rs {
		all = append(all, f.sink.got...)
	}
	return all
}

// settle polls until nothing is found, and then lets everything expire.
func (rs cluster) settle() {
	for range 8 {
		for _, f := range rs {
			f.check()
			f.poll()
		}
	}
	for _, f := range rs {
		f.advance(time.Minute)
	}
	for _, f := range rs {
		f.sweep()
	}
}

func (rs cluster) stop(t tb) {
	for _, f := range rs {
		require.NoError(t, f.Shutdown(ctxOf(t)))
		f.checkEmpty(t)
	}
}

// drawDeal deals the traces of a world.
func (w *world) drawDeal(t *rapid.T) map[pcommon.TraceID]int {
	deal := map[pcommon.TraceID]int{}
	for i := range w.specs {
		if _, ok := deal[w.specs[i].trace]; !ok {
			deal[w.specs[i].trace] = rapid.IntRange(0, 3).Draw(t, "replica")
		}
	}
	return deal
}

// send sends a batch to the replicas that its traces are dealt to.
func (rs cluster) send(t tb, batch []spec, deal map[pcommon.TraceID]int) {
	parts := map[*fixture][]spec{}
	for i := range batch {
		f := rs.of(batch[i].trace, deal)
		parts[f] = append(parts[f], batch[i])
	}
	for _, f := range rs {
		if len(parts[f]) > 0 {
			require.NoError(t, f.ConsumeTraces(ctxOf(t), tracesOf(parts[f])))
		}
	}
}

// TestReplicasOrder: replicas get the same result as one processor that gets all
// spans, whatever the order and whichever replica gets a trace.
func TestReplicasOrder(t *testing.T) {
	server := startRedis(t)
	for _, n := range []int{2, 4} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			checks(t, func(t *rapid.T) {
				w := worlds(t, true, rapid.Bool().Draw(t, "ours"))
				deal := w.drawDeal(t)
				rs := newReplicas(&testing.T{}, n, server.Addr, configOf())
				for _, batch := range w.batches(t) {
					rs.send(t, batch, deal)
					f := rs[rapid.IntRange(0, n-1).Draw(t, "poll")]
					f.poll()
					f.advance(time.Millisecond)
				}
				rs.settle()
				rs.stop(t)
				w.checkOut(t, rs.out())
				w.checkEnds(t, rs.out())
			})
		})
	}
}

// TestReplicasAnything: with late spans, values claimed twice and refusals.
func TestReplicasAnything(t *testing.T) {
	server := startRedis(t)
	for _, n := range []int{2, 4} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			checks(t, func(t *rapid.T) { anything(t, n, server, func() {}) })
		})
	}
}

// TestReplicasWithOutages: the server is killed and started again, empty, in
// the middle.
func TestReplicasWithOutages(t *testing.T) {
	server := startRedis(t)
	for _, n := range []int{2, 4} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				anything(t, n, server, func() {
					switch rapid.IntRange(0, 4).Draw(t, "server") {
					case 0:
						server.Kill()
					case 1:
						server.Kill()
						server.Run()
					case 2:
						if !server.Running() {
							server.Run()
						}
					}
				})
				if !server.Running() {
					server.Run()
				}
			})
		})
	}
}

func anything(t *rapid.T, n int, server *redisServer, meddle func()) {
	w := worlds(t, false, rapid.Bool().Draw(t, "ours"))
	deal := w.drawDeal(t)
	rs := newReplicas(&testing.T{}, n, server.Addr, configOf())
	for _, f := range rs {
		f.sink.refuse = func() error {
			if rapid.IntRange(0, 5).Draw(t, "refuse") == 0 {
				return errRefusedByTest
			}
			return nil
		}
	}
	for _, batch := range w.batches(t) {
		meddle()
		for i := range batch {
			f := rs.of(batch[i].trace, deal)
			err := f.ConsumeTraces(ctxOf(t), tracesOf(batch[i:i+1]))
			for err != nil {
				err = f.ConsumeTraces(ctxOf(t), tracesOf(batch[i:i+1]))
			}
		}
		f := rs[rapid.IntRange(0, n-1).Draw(t, "poll")]
		f.check()
		f.poll()
		f.advance(time.Duration(rapid.IntRange(0, 12).Draw(t, "pause")) * time.Second)
	}
	for _, f := range rs {
		f.sink.refuse = nil
	}
	meddle()
	rs.settle()
	rs.stop(t)
	w.checkOut(t, rs.out())
}

func TestClientAtAnotherReplicaIsFound(t *testing.T) {
	rs := newReplicas(t, 2, startRedis(t).Addr, configOf())
	client, server := pair("request-1")
	require.NoError(t, rs[1].ConsumeTraces(t.Context(), tracesOf([]spec{server})))
	require.NoError(t, rs[0].ConsumeTraces(t.Context(), tracesOf([]spec{client})))
	assert.Empty(t, rs[1].sink.got, "it waits")
	rs[1].poll()
	out := each(rs.out())
	require.Len(t, out, 2)
	assert.Equal(t, out[0].span.TraceID(), out[1].span.TraceID())
	rs.stop(t)
}

func TestLinkAcrossReplicas(t *testing.T) {
	rs := newReplicas(t, 2, startRedis(t).Addr, configOf(func(c *Config) { c.Mode = ModeLink }))
	client, server := pair("request-1")
	require.NoError(t, rs[1].ConsumeTraces(t.Context(), tracesOf([]spec{server})))
	require.NoError(t, rs[0].ConsumeTraces(t.Context(), tracesOf([]spec{client})))
	link := each(rs[0].sink.got)[0].span.Links().At(1)
	assert.Equal(t, server.trace, link.TraceID())
	assert.Equal(t, server.id, link.SpanID())
	rs.stop(t)
}

// TestLinkedAfterOutage: a trace that left unstitched is found by its client
// when the server is back, although it is empty then.
func TestLinkedAfterOutage(t *testing.T) {
	server := startRedis(t)
	rs := newReplicas(t, 2, server.Addr, configOf())
	c, s := pair("request-1")
	server.Kill()
	require.NoError(t, rs[1].ConsumeTraces(t.Context(), tracesOf([]spec{s})))
	rs[1].advance(time.Minute)
	assert.Len(t, rs[1].sink.got, 1, "unstitched")
	server.Run()
	for _, f := range rs {
		f.check()
	}
	require.NoError(t, rs[0].ConsumeTraces(t.Context(), tracesOf([]spec{c})))
	assert.Equal(t, 2, each(rs[0].sink.got)[0].span.Links().Len())
	rs.stop(t)
}

// TestHangingServerBlocksOnce: one batch waits, the others do not.
func TestHangingServerBlocksOnce(t *testing.T) {
	server := startRedis(t)
	rs := newReplicas(t, 1, server.Addr, configOf())
	server.Stop()
	defer server.Continue()
	shared := &counting{sharedIndex: rs[0].shared.index}
	rs[0].shared.index = shared
	for i := range 20 {
		c, _ := pair(fmt.Sprintf("request-%d", i))
		c.trace[1] = byte(i)
		require.NoError(t, rs[0].ConsumeTraces(t.Context(), tracesOf([]spec{c})))
	}
	assert.Equal(t, 1, shared.asked)
	assert.Len(t, each(rs.out()), 20)
	rs.stop(t)
}

// TestForgottenTraceIsLookedUp: the shared index still knows what one replica
// forgot for lack of room.
func TestForgottenTraceIsLookedUp(t *testing.T) {
	rs := newReplicas(t, 1, startRedis(t).Addr, configOf(func(c *Config) { c.MaxSpans = 4 }))
	f := rs[0]
	client, server := pair("request-1")
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{client})))
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
	for i := range 50 {
		other := spec{n: 1, trace: pcommon.TraceID{9, byte(i)}, id: pcommon.SpanID{9}, name: "work"}
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{other})))
	}
	require.Nil(t, f.ledger.idx.Trace(server.trace, f.ledger.now), "forgotten")
	late := spec{n: 2, trace: server.trace, id: pcommon.SpanID{3}, parent: server.id, name: "work"}
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{late})))
	out := each(f.sink.got)
	require.Len(t, out, 53)
	assert.Equal(t, client.trace, out[52].span.TraceID())
	rs.stop(t)
}

// TestUnrelatedTracesSendNoQuery: traces without anything to stitch send no query.
func TestUnrelatedTracesSendNoQuery(t *testing.T) {
	rs := newReplicas(t, 1, startRedis(t).Addr, configOf())
	shared := &counting{sharedIndex: rs[0].shared.index}
	rs[0].shared.index = shared
	require.NoError(t, rs[0].ConsumeTraces(t.Context(), tracesOf([]spec{
		{trace: pcommon.TraceID{1}, id: pcommon.SpanID{1}, name: "work"},
		{trace: pcommon.TraceID{2}, id: pcommon.SpanID{2}, name: mcpconv.SpanWorkflow, value: "short"},
	})))
	rs[0].poll()
	assert.Zero(t, shared.asked)
	rs.stop(t)
}

// TestReplicasByConfiguration: two stitchers made from configuration, in real time,
// on a server with a password.
func TestReplicasByConfiguration(t *testing.T) {
	server := startRedis(t, "--requirepass", "pass"+"word")
	shared := func(c *Config) {
		c.Index = IndexConfig{Type: IndexRedis, Endpoint: server.Addr, Password: "pass" + "word", KeyPrefix: "x:"}
	}
	var out [2]next
	for i := range out {
		p := create(t, nil, &out[i], shared)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
		client, root := pair("request-1")
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{[]spec{root, client}[i]})))
	}
	require.Eventually(t, func() bool { return out[0].spans() == 1 && out[1].spans() == 1 }, 30*time.Second, 10*time.Millisecond)
	assert.Equal(t, each(out[1].got)[0].span.TraceID(), each(out[0].got)[0].span.TraceID())
}

// TestOneClaimAcrossReplicas: a replica that has a call and its RPC tells the others of
// the outer one.
func TestOneClaimAcrossReplicas(t *testing.T) {
	addr := startRedis(t).Addr
	for _, order := range [][]spec{{call, rpc}, {rpc, call}} {
		rs := newReplicas(t, 2, addr, configOf(func(c *Config) { c.Mode = ModeLink }))
		for _, s := range append(order, served) {
			n := 0
			if s.trace == served.trace {
				n = 1
			}
			require.NoError(t, rs[n].ConsumeTraces(t.Context(), tracesOf([]spec{s})))
		}
		links := each(rs[1].sink.got)[0].span.Links()
		require.Equal(t, 2, links.Len())
		assert.Equal(t, call.id, links.At(1).SpanID())
		rs.stop(t)
	}
}
