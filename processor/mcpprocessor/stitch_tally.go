package mcpprocessor

import (
	"context"
	"errors"
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

// stitchTally counts while the rules are locked, to be recorded afterwards.
type stitchTally struct {
	ambiguous                          [reasons]int64
	stitched, linked, expired, evicted int64
	waited                             []int64 // ns
}

func (t *stitchTally) record(ctx context.Context, to *metadata.TelemetryBuilder) {
	for i, n := range t.ambiguous {
		add(ctx, to.McpProcessorStitchAmbiguous, n, reasonOptions[i])
	}
	add(ctx, to.McpProcessorStitchStitchedTraces, t.stitched)
	add(ctx, to.McpProcessorStitchLinkedSpans, t.linked)
	add(ctx, to.McpProcessorStitchExpiredTraces, t.expired)
	add(ctx, to.McpProcessorStitchEvictedSpans, t.evicted)
	for _, ns := range t.waited {
		to.McpProcessorStitchWaitTime.Record(ctx, time.Duration(ns).Seconds())
	}
}

func add(ctx context.Context, counter metric.Int64Counter, n int64, options ...metric.AddOption) {
	if n > 0 {
		counter.Add(ctx, n, options...)
	}
}

// observeWaiting lets the gauges be read.
func (s *stitcher) observeWaiting() error {
	spans := s.telemetry.RegisterMcpProcessorStitchWaitingSpansCallback(func(_ context.Context, o metric.Int64Observer) error {
		n, _ := s.waiting()
		o.Observe(int64(n))
		return nil
	})
	bytes := s.telemetry.RegisterMcpProcessorStitchWaitingBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
		_, n := s.waiting()
		o.Observe(n)
		return nil
	})
	return errors.Join(spans, bytes)
}

// waiting is what waits to be decided or to be taken.
func (s *stitcher) waiting() (spans int, bytes int64) {
	var all room
	all.add(s.out.held())
	s.mu.Lock()
	defer s.mu.Unlock()
	all.add(s.rules.win.Spans(), s.rules.win.Bytes())
	return all.spans, all.bytes
}
