package mcpreceiver

import (
	"slices"

	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/process"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/mcpserver"
)

// maxPending bounds the evicted sessions that wait for a pipeline that refuses.
const maxPending = 1000

// sessionOptions returns those of the engine; lost counts what it loses.
func (c *Settings) sessionOptions(lost func(kind string)) session.Options {
	opt := session.Options{
		Traits:    registry.Traits,
		Alive:     process.Alive,
		Namespace: c.Namespace, IdleTimeout: c.Session.IdleTimeout, Linger: c.Session.Linger,
		MaxSessions: c.Session.MaxSessions, MaxSpans: c.Session.MaxSpans,
		Remember: c.Session.Remember, MaxFacts: c.Session.MaxFacts,
		CallTimeout: c.Call.Timeout, MaxOpenCalls: c.Call.MaxOpen, MaxOpenBytes: c.openBytes(),
		ProgressEvents: c.Limits.ProgressEvents, TextBytes: c.Limits.TextBytes,
		KeepPayloads: c.Capture.Payloads, KeepEnvelopes: c.Capture.Envelopes,
		DropMethods: map[string]bool{}, MaxPending: maxPending,
		Lost:       lost,
		StuckAfter: c.Call.StuckAfter, StalledAfter: c.Host.StalledAfter,
		InBand:           c.InBand,
		NoticesPerSecond: c.Limits.NoticesPerSecond, DedupeKeys: c.Limits.DedupeKeys,
		DropUndeclared: c.Reminder.Undeclared == undeclaredDrop, MinLevel: mcpconv.Levels[c.Log.MinLevel],
	}
	for _, method := range c.DropMethods {
		opt.DropMethods[method] = true
	}
	return opt
}

// telemetryOptions returns those of telemetry; version is the collector's.
func (c *Settings) telemetryOptions(version string) *telemetry.Options {
	return &telemetry.Options{
		Inspector:        slices.Contains(c.Conventions, conventionInspector),
		OTel:             slices.Contains(c.Conventions, conventionOTel),
		SemconvNames:     c.semconvNames(),
		Payloads:         c.Capture.Payloads,
		PayloadInspector: slices.Contains(c.Capture.PayloadKeys, conventionInspector),
		PayloadOTel:      slices.Contains(c.Capture.PayloadKeys, conventionOTel),
		TextBytes:        c.Limits.TextBytes,
		ServiceName:      c.ServiceName,
		ScopeName:        mcpconv.ReceiverScope,
		ScopeVersion:     version,
		Writer:           inspectorwire.ProcessWriter(),
		ResourceURIs:     c.Metrics.ResourceURIs,
		Names:            telemetry.NewNames(c.Limits.LabelValues),
	}
}

func mcpServerOptions(set receiver.Settings, c *Config) mcpserver.Options {
	return mcpserver.Options{
		Version:     set.BuildInfo.Version,
		MaxSessions: c.Session.MaxSessions, IdleTimeout: c.Session.IdleTimeout,
	}
}
