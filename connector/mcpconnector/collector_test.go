package mcpconnector

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/batchprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// inCollector are what a test puts into a real collector: a receiver "source", by which
// the test hands in, and an exporter "sink".
type inCollector struct {
	inTraces consumer.Traces
	inLogs   consumer.Logs
	traces   consumertest.TracesSink
	logs     consumertest.LogsSink
}

// part is a component that accepts nothing before its start and after its stop.
type part struct{ running atomic.Bool }

func (p *part) Start(context.Context, component.Host) error {
	p.running.Store(true)
	return nil
}

func (p *part) Shutdown(context.Context) error {
	p.running.Store(false)
	return nil
}

func (*part) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

var errStopped = errors.New("the exporter does not run")

type tracesPart struct {
	part
	next consumer.Traces
}

func (p *tracesPart) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if !p.running.Load() {
		return errStopped
	}
	return p.next.ConsumeTraces(ctx, td)
}

type logsPart struct {
	part
	next consumer.Logs
}

func (p *logsPart) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if !p.running.Load() {
		return errStopped
	}
	return p.next.ConsumeLogs(ctx, ld)
}

func noConfig() component.Config { return &struct{}{} }

// factories are those of a collector with the parts of the test.
func (in *inCollector) factories() (f otelcol.Factories, err error) {
	source := receiver.NewFactory(component.MustNewType("source"), noConfig,
		receiver.WithTraces(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Traces) (receiver.Traces, error) {
			in.inTraces = next
			return &part{}, nil
		}, component.StabilityLevelDevelopment),
		receiver.WithLogs(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Logs) (receiver.Logs, error) {
			in.inLogs = next
			return &part{}, nil
		}, component.StabilityLevelDevelopment))
	sink := exporter.NewFactory(component.MustNewType("sink"), noConfig,
		exporter.WithTraces(func(context.Context, exporter.Settings, component.Config) (exporter.Traces, error) {
			return &tracesPart{next: &in.traces}, nil
		}, component.StabilityLevelDevelopment),
		exporter.WithLogs(func(context.Context, exporter.Settings, component.Config) (exporter.Logs, error) {
			return &logsPart{next: &in.logs}, nil
		}, component.StabilityLevelDevelopment))
	f.Receivers, err = otelcol.MakeFactoryMap(source, mcpreceiver.NewFactory())
	if err != nil {
		return f, err
	}
	if f.Processors, err = otelcol.MakeFactoryMap[processor.Factory](batchprocessor.NewFactory()); err != nil {
		return f, err
	}
	if f.Connectors, err = otelcol.MakeFactoryMap[connector.Factory](newFactory(newTestDecoder)); err != nil {
		return f, err
	}
	f.Exporters, err = otelcol.MakeFactoryMap(sink)
	f.Telemetry = otelconftelemetry.NewFactory()
	return f, err
}

// run runs a collector of that configuration, and stops it when do has handed in.
func (in *inCollector) run(t *testing.T, config string, do func()) {
	t.Helper()
	col, err := otelcol.NewCollector(otelcol.CollectorSettings{
		Factories: in.factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs: []string{"yaml:" + config}, ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
		DisableGracefulShutdown: true,
	})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- col.Run(context.WithoutCancel(t.Context())) }()
	require.Eventually(t, func() bool { return col.GetState() == otelcol.StateRunning || len(ended) > 0 }, 30*time.Second, time.Millisecond)
	require.Equal(t, otelcol.StateRunning, col.GetState())
	do()
	col.Shutdown()
	require.NoError(t, <-ended)
}

const (
	buffered = `
processors: {batch: {timeout: 1h, send_batch_size: 100000}}
exporters: {sink: }
service:
  telemetry: {metrics: {level: none}, logs: {level: error}}
  pipelines:
    traces/otlp: {receivers: [source], processors: [batch], exporters: [mcp/agents]}
    logs/otlp: {receivers: [source], exporters: [mcp/agents]}
`
	withReceiver = `
    traces: {receivers: [mcp, mcp/agents], exporters: [sink]}
    logs: {receivers: [mcp, mcp/agents], exporters: [sink]}
receivers: {source: , mcp: {http: {enabled: false}}}
connectors: {mcp/agents: }
`
	withoutReceiver = `
    traces: {receivers: [mcp/agents], exporters: [sink]}
    logs: {receivers: [mcp/agents], exporters: [sink]}
receivers: {source: }
connectors: {mcp/agents: }
`
)

// What a processor in front of the connector has accepted is not lost when the collector
// stops. The order in which unrelated components stop is random.
func TestNothingIsLostThatWasBuffered(t *testing.T) {
	for name, rest := range map[string]string{"with a receiver": withReceiver, "without a receiver": withoutReceiver} {
		t.Run(name, func(t *testing.T) {
			for range 8 {
				in := &inCollector{}
				in.run(t, buffered+rest, func() {
					now := time.Now().UnixNano()
					ld := plog.NewLogs()
					record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
					require.NoError(t, in.inLogs.ConsumeLogs(t.Context(), ld))
					td := ptrace.NewTraces()
					span(td, "agent", 1, now, now+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
					span(td, "foreign", 2, now, now+1, nil)
					require.NoError(t, in.inTraces.ConsumeTraces(t.Context(), td))
				})
				s := setup{out: &in.traces, outLogs: &in.logs}
				require.Len(t, s.spans()["native"], 2)
				require.Len(t, s.spans()["workflow.run"], 1)
				if rest == withoutReceiver {
					assert.EqualValues(t, 1, s.spans()["session.summary"][0].Attributes().AsRaw()["mcp.summary.tool_calls"], "the session has it")
				}
			}
		})
	}
}
