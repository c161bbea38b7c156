package stitch

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// reason is why a value joins nothing.
type reason int

const (
	tooShort reason = iota
	claimedTwice
	cycle
	reasons
)

var reasonOptions = [reasons]metric.AddOption{
	tooShort:     metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "short"))),
	claimedTwice: metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "claimed_twice"))),
	cycle:        metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "cycle"))),
}

// stats counts under the lock, to be recorded after it.
type stats struct {
	ambiguous                          [reasons]int64
	stitched, linked, expired, evicted int64
	waited                             []int64 // ns
}

func (s *stats) record(ctx context.Context, to *metadata.TelemetryBuilder) {
	for i, n := range s.ambiguous {
		add(ctx, to.McpProcessorStitchAmbiguous, n, reasonOptions[i])
	}
	add(ctx, to.McpProcessorStitchStitchedTraces, s.stitched)
	add(ctx, to.McpProcessorStitchLinkedSpans, s.linked)
	add(ctx, to.McpProcessorStitchExpiredTraces, s.expired)
	add(ctx, to.McpProcessorStitchEvictedSpans, s.evicted)
	for _, ns := range s.waited {
		to.McpProcessorStitchWaitTime.Record(ctx, time.Duration(ns).Seconds())
	}
}

func add(ctx context.Context, counter metric.Int64Counter, n int64, options ...metric.AddOption) {
	if n > 0 {
		counter.Add(ctx, n, options...)
	}
}
