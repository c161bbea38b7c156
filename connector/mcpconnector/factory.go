package mcpconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector/internal/metadata"
	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
)

// NewFactory creates the factory of the mcp connector.
func NewFactory() connector.Factory { return newFactory(newDecoder) }

// newFactory creates it with other decoders.
func newFactory(decoder func() otlp.Decoder) connector.Factory {
	e := &edges{decoder, shared.NewInstances[*Config, *mcpConnector]()}
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithLogsToLogs(e.logsToLogs, metadata.LogsToLogsStability),
		connector.WithLogsToTraces(e.logsToTraces, metadata.LogsToTracesStability),
		connector.WithLogsToMetrics(e.logsToMetrics, metadata.LogsToMetricsStability),
		connector.WithTracesToTraces(e.tracesToTraces, metadata.TracesToTracesStability),
		connector.WithTracesToLogs(e.tracesToLogs, metadata.TracesToLogsStability),
		connector.WithTracesToMetrics(e.tracesToMetrics, metadata.TracesToMetricsStability))
}

// edges makes one connector for all edges of a configuration: the collector wants
// a component for each pair of a signal in and a signal out. It hands each request
// to the components of all pairs, so that only the first of them works.
type edges struct {
	decoder   func() otlp.Decoder
	instances *shared.Instances[*Config, *mcpConnector]
}

// edge is the component of one pair.
type edge struct {
	*shared.Share[*mcpConnector]
	out signal
}

func (edge) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (e *edges) get(set connector.Settings, cfg component.Config, in pipeline.Signal, out signal) (edge, *mcpConnector, error) {
	c := cfg.(*Config)
	share, err := e.instances.Get(c, in, func() (*mcpConnector, error) { return newConnector(set, c, e.decoder) })
	if err != nil {
		return edge{}, nil, err
	}
	return edge{share, out}, share.Unwrap(), nil
}

func (e *edges) logsTo(set connector.Settings, cfg component.Config, out signal, add func(*mcpConnector)) (connector.Logs, error) {
	made, c, err := e.get(set, cfg, pipeline.SignalLogs, out)
	if err != nil {
		return nil, err
	}
	add(c)
	c.logsBy = min(c.logsBy, out)
	return logsEdge{made}, nil
}

func (e *edges) tracesTo(set connector.Settings, cfg component.Config, out signal, add func(*mcpConnector)) (connector.Traces, error) {
	made, c, err := e.get(set, cfg, pipeline.SignalTraces, out)
	if err != nil {
		return nil, err
	}
	add(c)
	if c.tracesBy != toTraces { // the only one for which the collector knows whether the next mutates
		c.tracesBy = min(c.tracesBy, out)
	}
	if out == toTraces {
		c.tracesBy = out
	}
	return tracesEdge{made}, nil
}

func (e *edges) logsToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Logs, error) {
	return e.logsTo(set, cfg, toLogs, func(c *mcpConnector) { c.runner.Logs = next })
}

func (e *edges) logsToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Logs, error) {
	return e.logsTo(set, cfg, toTraces, func(c *mcpConnector) { c.runner.Traces = next })
}

func (e *edges) logsToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Logs, error) {
	return e.logsTo(set, cfg, toMetrics, func(c *mcpConnector) { c.runner.Metrics = next })
}

func (e *edges) tracesToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Traces, error) {
	return e.tracesTo(set, cfg, toTraces, func(c *mcpConnector) { c.runner.Traces = next })
}

func (e *edges) tracesToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Traces, error) {
	return e.tracesTo(set, cfg, toLogs, func(c *mcpConnector) { c.runner.Logs = next })
}

func (e *edges) tracesToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Traces, error) {
	return e.tracesTo(set, cfg, toMetrics, func(c *mcpConnector) { c.runner.Metrics = next })
}
