package main

import (
	"bytes"
	bigendian "encoding/binary"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter"
)

// BenchmarkInspector measures the web UI's exporter with what the receiver
// makes of a heartbeat, and of a call and its reply. Files are written meanwhile.
func BenchmarkInspector(b *testing.B) {
	request, reply := payload.Call(5_000, payload.TextResult(payload.Prose))
	for _, c := range []struct {
		name   string
		bodies [][]byte
	}{{"heartbeat", [][]byte{payload.BeatRecord()}}, {"call-5KB", [][]byte{request, reply}}} {
		b.Run(c.name+"/ours", func(b *testing.B) {
			all := received(b, c.bodies)
			web := newInspector(b)
			n := uint64(0)
			cputime.Loop(b, func() {
				n++
				all.export(b, web, n)
			})
		})
	}
}

// telemetry holds what the messages become.
type telemetry struct {
	traces []ptrace.Traces
	logs   []plog.Logs
}

// received returns what a session that is known already gives.
func received(b *testing.B, bodies [][]byte) (all telemetry) {
	traces, logs := new(consumertest.TracesSink), new(consumertest.LogsSink)
	address, stop := startReceiver(b, nil, traces, logs)
	numbers := payload.NumbersOf(bodies...)
	for round := range 2 {
		if round == 1 {
			traces.Reset()
			logs.Reset()
		}
		numbers.Set(payload.FirstNumber + round)
		for _, body := range bodies {
			resp, err := http.Post("http://"+address+"/v1/observations", "application/x-ndjson", bytes.NewReader(body))
			require.NoError(b, err)
			require.Equal(b, http.StatusAccepted, resp.StatusCode)
			require.NoError(b, resp.Body.Close())
		}
	}
	stop()
	return telemetry{traces.AllTraces(), logs.AllLogs()}
}

type web struct {
	traces exporter.Traces
	logs   exporter.Logs
}

func newInspector(b *testing.B) web {
	factory := inspectorexporter.NewFactory()
	cfg := factory.CreateDefaultConfig().(*inspectorexporter.Config)
	cfg.TracesDir = b.TempDir()
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = "127.0.0.1:0"
	cfg.HTTP = http
	set := exportertest.NewNopSettings(factory.Type())
	t, err := factory.CreateTraces(b.Context(), set, cfg)
	require.NoError(b, err)
	l, err := factory.CreateLogs(b.Context(), set, cfg)
	require.NoError(b, err)
	require.NoError(b, t.Start(b.Context(), componenttest.NewNopHost()))
	require.NoError(b, l.Start(b.Context(), componenttest.NewNopHost()))
	b.Cleanup(func() {
		require.NoError(b, t.Shutdown(b.Context()))
		require.NoError(b, l.Shutdown(b.Context()))
	})
	return web{t, l}
}

// export sends everything with the id of spans that no other round has.
func (a *telemetry) export(b *testing.B, to web, n uint64) {
	for _, ld := range a.logs {
		for _, r := range ld.ResourceLogs().All() {
			for _, s := range r.ScopeLogs().All() {
				for i, record := range s.LogRecords().All() {
					record.SetSpanID(spanID(n, i))
				}
			}
		}
		if err := to.logs.ConsumeLogs(b.Context(), ld); err != nil {
			b.Fatal(err)
		}
	}
	for _, td := range a.traces {
		for _, r := range td.ResourceSpans().All() {
			for _, s := range r.ScopeSpans().All() {
				for i, span := range s.Spans().All() {
					span.SetSpanID(spanID(n, i))
				}
			}
		}
		if err := to.traces.ConsumeTraces(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	}
}

func spanID(n uint64, i int) (id [8]byte) {
	bigendian.BigEndian.PutUint64(id[:], n<<8|uint64(i))
	return id
}
