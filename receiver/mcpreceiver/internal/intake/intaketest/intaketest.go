// Package intaketest makes what tests of ways in need: an engine of their own, whose
// limits no test reaches by itself.
package intaketest

import (
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry/names"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// Runner hands spans to next, with the Inspector's keys, and counts in own. It logs
// nothing.
func Runner(own *metadata.TelemetryBuilder, next consumer.Traces) *intake.Runner {
	options := &telemetry.Options{Inspector: true, TextBytes: 4096, ScopeName: "test", Names: names.New(100)}
	return &intake.Runner{
		Runner: pipeline.Runner{
			Engine: session.New(session.Options{
				IdleTimeout: time.Hour, Linger: time.Minute, MaxSessions: 100, MaxSpans: 1000, CallTimeout: time.Hour,
				MaxOpenCalls: 100, MaxOpenBytes: 1 << 20, TextBytes: 4096, MaxPending: 10, Lost: func(string) {},
				StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 10, MinLevel: 1,
			}),
			Build: options, Meter: telemetry.NewMeter(options, 100, time.Now()), Traces: next,
		},
		Telemetry: own, Logger: zap.NewNop(),
	}
}
