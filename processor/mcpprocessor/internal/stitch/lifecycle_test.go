package stitch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadatatest"
)

// next is a consumer that many may use at once.
type next struct {
	mu      sync.Mutex
	refuse  error
	clients []client.Info
	got     []ptrace.Traces
}

func (*next) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (n *next) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refuse != nil {
		return n.refuse
	}
	n.got = append(n.got, td)
	n.clients = append(n.clients, client.FromContext(ctx))
	return nil
}

func (n *next) spans() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(each(n.got))
}

func (n *next) set(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = err
}

// create makes a stitcher as the factory does. telemetry may be nil.
func create(t *testing.T, telemetry *componenttest.Telemetry, to consumer.Traces, change ...func(*Config)) *Stitcher {
	t.Helper()
	return createAs(t, component.NewID(metadata.Type), telemetry, to, change...)
}

func createAs(t *testing.T, id component.ID, telemetry *componenttest.Telemetry, to consumer.Traces, change ...func(*Config)) *Stitcher {
	t.Helper()
	set := processortest.NewNopSettings(metadata.Type)
	set.ID = id
	if telemetry != nil {
		set.TelemetrySettings = telemetry.NewTelemetrySettings()
	}
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	require.NoError(t, err)
	s, err := New(t.Context(), set, configOf(change...), builder, to)
	require.NoError(t, err)
	return s
}

func TestTimerReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := new(next)
		p := create(t, nil, to)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		_, server := pair("request-1")
		ctx := client.NewContext(t.Context(), client.Info{Metadata: client.NewMetadata(map[string][]string{"tenant": {"a"}})})
		require.NoError(t, p.ConsumeTraces(ctx, tracesOf([]spec{server})))

		time.Sleep(9 * time.Second)
		synctest.Wait()
		assert.Zero(t, to.spans())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, to.spans())
		assert.Equal(t, []string{"a"}, to.clients[0].Metadata.Get("tenant"), "with the metadata of its request")
		require.NoError(t, p.Shutdown(t.Context()))
	})
}

func TestTimerRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := new(next)
		p := create(t, nil, to)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		c, s := pair("request-1")
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{s})))
		to.set(errRefusedByTest)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Zero(t, to.spans())
		to.set(nil)
		time.Sleep(lastRetry + time.Second)
		synctest.Wait()
		assert.Equal(t, 1, to.spans())
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{c})))
		require.NoError(t, p.Shutdown(t.Context()))
		assert.Equal(t, 2, to.spans())
	})
}

func TestShutdownReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := new(next)
		p := create(t, nil, to)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		_, server := pair("request-1")
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
		to.set(errRefusedByTest)
		go func() {
			time.Sleep(time.Second)
			to.set(nil)
		}()
		require.NoError(t, p.Shutdown(t.Context()))
		assert.Equal(t, 1, to.spans())
		require.NoError(t, p.Shutdown(t.Context()), "twice")
	})
}

// TestManyAtOnce is for the race detector: clients and servers from all sides
// while the timer releases.
func TestManyAtOnce(t *testing.T) {
	to := new(next)
	p := create(t, nil, to, func(c *Config) { c.Wait, c.MaxSpans = time.Millisecond, 50 })
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	var sent atomic.Int64
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				c, s := pair("request-" + string(rune('a'+i%26)))
				c.trace[1], s.trace[1] = byte(g/2), byte(g/2)
				c.trace[2], s.trace[2] = byte(i), byte(i)
				if assert.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{c, s}[g%2:g%2+1]))) {
					sent.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	assert.Equal(t, int(sent.Load()), to.spans())
}

func TestStitchMetrics(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	defer func() { require.NoError(t, telemetry.Shutdown(context.Background())) }()
	to := new(next)
	p := create(t, telemetry, to, func(c *Config) { c.MaxSpans = 2 })
	c, s := pair("request-1")
	send := func(specs ...spec) { require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf(specs))) }
	send(c)
	send(s)
	other := c
	other.trace, other.value = pcommon.TraceID{3}, "request-1"
	send(other)
	other.value = "short"
	send(other)
	waits := s
	for i := range 3 {
		waits.trace, waits.value = pcommon.TraceID{9, byte(i)}, "request-9"
		send(waits)
	}
	late := c
	late.trace, late.value = pcommon.TraceID{5}, "request-9"
	ignore, own := metricdatatest.IgnoreTimestamp(), attribute.String("processor", "mcp")
	count := func(n int64, attrs ...attribute.KeyValue) []metricdata.DataPoint[int64] {
		return []metricdata.DataPoint[int64]{{Value: n, Attributes: attribute.NewSet(attrs...)}}
	}
	metadatatest.AssertEqualMcpProcessorStitchStitchedTraces(t, telemetry, count(1), ignore)
	metadatatest.AssertEqualMcpProcessorStitchEvictedSpans(t, telemetry, count(1), ignore)
	metadatatest.AssertEqualMcpProcessorStitchWaitingSpans(t, telemetry, count(2, own), ignore)
	metadatatest.AssertEqualMcpProcessorStitchAmbiguous(t, telemetry, append(
		count(1, attribute.String("reason", "claimed_twice")), count(1, attribute.String("reason", "short"))...), ignore)
	send(late)
	metadatatest.AssertEqualMcpProcessorStitchLinkedSpans(t, telemetry, count(1), ignore)
	metadatatest.AssertEqualMcpProcessorStitchStitchedTraces(t, telemetry, count(3), ignore)
	metadatatest.AssertEqualMcpProcessorStitchWaitingSpans(t, telemetry, count(0, own), ignore)
	metadatatest.AssertEqualMcpProcessorStitchWaitingBytes(t, telemetry, count(0, own), ignore)
	require.NoError(t, p.Shutdown(t.Context()))
}

// TestTwoProcessors: what waits in one is not hidden by what waits in the other.
func TestTwoProcessors(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	var want []metricdata.DataPoint[int64]
	for n, name := range []string{"", "2"} {
		id := component.NewIDWithName(metadata.Type, name)
		p := createAs(t, id, telemetry, new(next))
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		t.Cleanup(func() { assert.NoError(t, p.Shutdown(context.Background())) })
		if n == 0 {
			_, s := pair("request-1")
			require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf([]spec{s})))
		}
		want = append(want, metricdata.DataPoint[int64]{
			Value: int64(1 - n), Attributes: attribute.NewSet(attribute.String("processor", id.String())),
		})
	}
	metadatatest.AssertEqualMcpProcessorStitchWaitingSpans(t, telemetry, want, metricdatatest.IgnoreTimestamp())
}

// TestRefusedInPart: what was accepted is not sent again.
func TestRefusedInPart(t *testing.T) {
	f := newFixture(t, configOf())
	_, one := pair("request-1")
	two := one
	two.id, two.parent, two.n = pcommon.SpanID{7}, one.id, 7
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{one, two})))
	rest := tracesOf([]spec{two})
	f.sink.refuse = func() error { return consumererror.NewTraces(errRefusedByTest, rest) }
	f.advance(time.Minute)
	spans, _ := f.waiting()
	assert.Equal(t, 1, spans)
	f.sink.refuse = nil
	require.NoError(t, f.retries.Flush(t.Context()))
	require.Len(t, f.sink.got, 1)
	assert.Equal(t, rest, f.sink.got[0])
	f.checkEmpty(t)
}
