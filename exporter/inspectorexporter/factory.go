package inspectorexporter

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
)

// defaultEndpoint is not the Inspector's 7800: one may be there.
const defaultEndpoint = "localhost:7810"

// factory makes one inspector for the traces and the logs of a configuration. It
// is there as long as one of them may be sent to it.
type factory struct {
	instances *shared.Instances[*Config, *inspector]
}

func newFactory() *factory {
	return &factory{shared.NewInstances[*Config, *inspector]()}
}

// NewFactory creates the factory of the mcp_inspector exporter.
func NewFactory() exporter.Factory {
	f := newFactory()
	return exporter.NewFactory(metadata.Type, createDefaultConfig,
		exporter.WithTraces(f.createTraces, metadata.TracesStability),
		exporter.WithLogs(f.createLogs, metadata.LogsStability))
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = defaultEndpoint
	http.IdleTimeout = 5 * time.Minute
	http.ReadTimeout = time.Minute
	http.CORS = configoptional.None[confighttp.CORSConfig]()
	return &Config{
		HTTP: http, Retention: 7 * 24 * time.Hour, MaxFileBytes: 100 << 20, MaxTotalBytes: 10 << 30, MaxSessions: 100_000,
	}
}

func (f *factory) get(set exporter.Settings, cfg component.Config, in pipeline.Signal) (*shared.Share[*inspector], error) {
	c := cfg.(*Config)
	return f.instances.Get(c, in, func() (*inspector, error) { return newInspector(set, c) })
}

func (f *factory) createTraces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	i, err := f.get(set, cfg, pipeline.SignalTraces)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewTraces(ctx, set, cfg, i.Unwrap().traces, options(i)...)
}

func (f *factory) createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	i, err := f.get(set, cfg, pipeline.SignalLogs)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewLogs(ctx, set, cfg, i.Unwrap().logs, options(i)...)
}

func options(i component.Component) []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithStart(i.Start), exporterhelper.WithShutdown(i.Shutdown),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
	}
}
