package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// beatsInBody are so many that HTTP costs less than they do.
const beatsInBody = 100

// BenchmarkProducers lets several send at once, each what belongs to a session of
// its own and over a connection of its own. An iteration is one body of
// [beatsInBody] heartbeats.
func BenchmarkProducers(b *testing.B) {
	for name, web := range map[string]bool{"nop": false, "web-ui": true} {
		for _, n := range []int{1, 2, 4} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				address := receiving(b, web)
				producers := make([]*producer, n)
				for i := range producers {
					producers[i] = newProducer(b, address, i)
					require.NoError(b, producers[i].post())
				}
				together(b, producers)
			})
		}
	}
}

// together sends b.N bodies. It reports how long goroutines waited for locks, as a
// share of the processor time.
func together(b *testing.B, producers []*producer) {
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	waited, busy := lockWaits(), cputime.Now()
	failed := make([]error, len(producers))
	var all sync.WaitGroup
	for i, p := range producers {
		all.Go(func() {
			for left.Add(-1) >= 0 && failed[i] == nil {
				failed[i] = p.post()
			}
		})
	}
	all.Wait()
	waited, busy = lockWaits()-waited, cputime.Now()-busy
	b.StopTimer()
	require.NoError(b, errors.Join(failed...))
	b.ReportMetric(100*waited.Seconds()/busy.Seconds(), "lock-%")
}

// lockWaits returns how long all goroutines have waited for locks.
func lockWaits() time.Duration {
	sample := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// receiving is the address of a receiver whose telemetry goes nowhere, or to the
// web UI.
func receiving(b *testing.B, webUI bool) string {
	traces, logs := consumer.Traces(consumertest.NewNop()), consumer.Logs(consumertest.NewNop())
	if webUI {
		web := newInspector(b)
		traces, logs = web.traces, web.logs
	}
	address, stop := startReceiver(b, map[string]any{"limits": map[string]any{"notices_per_second": 1_000_000_000}}, traces, logs)
	b.Cleanup(stop)
	return address
}

// startReceiver runs a receiver on a port of its own.
func startReceiver(b *testing.B, settings map[string]any, traces consumer.Traces, logs consumer.Logs) (address string, stop func()) {
	factory := mcpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig()
	addresses, err := figures.Addresses(1)
	require.NoError(b, err)
	conf := confmap.NewFromStringMap(settings)
	require.NoError(b, conf.Merge(confmap.NewFromStringMap(map[string]any{"http": map[string]any{"endpoint": addresses[0]}})))
	require.NoError(b, conf.Unmarshal(cfg))
	set := receivertest.NewNopSettings(factory.Type())
	t, err := factory.CreateTraces(b.Context(), set, cfg, traces)
	require.NoError(b, err)
	l, err := factory.CreateLogs(b.Context(), set, cfg, logs)
	require.NoError(b, err)
	require.NoError(b, t.Start(b.Context(), componenttest.NewNopHost()))
	require.NoError(b, l.Start(b.Context(), componenttest.NewNopHost()))
	return addresses[0], func() {
		require.NoError(b, t.Shutdown(context.Background()))
		require.NoError(b, l.Shutdown(context.Background()))
	}
}

// producer posts with as little work as HTTP allows.
type producer struct {
	net.Conn
	replies *bufio.Reader
	request []byte
}

func newProducer(b *testing.B, address string, i int) *producer {
	c, err := net.Dial("tcp", address)
	require.NoError(b, err)
	b.Cleanup(func() { _ = c.Close() })
	body := bytes.Repeat(fmt.Appendf(nil, "%s\n", payload.HostBeat), beatsInBody)
	request := fmt.Appendf(nil, "POST /v1/observations HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-ndjson\r\nX-Session-Id: s-%d\r\nContent-Length: %d\r\n\r\n%s",
		address, i, len(body), body)
	return &producer{c, bufio.NewReader(c), request}
}

func (p *producer) post() error {
	if _, err := p.Write(p.request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(p.replies, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("not accepted: %s", resp.Status)
	}
	return resp.Body.Close()
}
