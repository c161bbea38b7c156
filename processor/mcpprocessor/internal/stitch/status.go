package stitch

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

var (
	errRefused = errors.New("stitch: the next consumer refuses spans that waited; retrying")
	errOffline = errors.New("stitch::index: the shared index does not answer; traces leave unstitched")
)

// status reports to the host what fails, and when it works again. Only the timer
// uses it.
type status struct {
	logger           *zap.Logger
	health           *shared.Status
	refused, offline bool

	reportRefused, reportOffline func(error)
}

func newStatus(logger *zap.Logger) status {
	h := &shared.Status{}
	return status{logger: logger, health: h, reportRefused: h.Part(), reportOffline: h.Part()}
}

// setRefused records whether the next consumer refused spans that waited.
func (s *status) setRefused(is bool) {
	s.refused = is
	s.reportRefused(errorIf(is, errRefused))
}

// setIndex records why the shared index failed, nil if it answers.
func (s *status) setIndex(err error) {
	if s.offline == (err != nil) {
		return
	}
	s.offline = err != nil
	if s.offline {
		s.logger.Warn("Shared index unavailable; traces leave unstitched until it answers", zap.Error(err))
	} else {
		s.logger.Info("Shared index available again")
	}
	s.reportOffline(errorIf(s.offline, errOffline))
}

func errorIf(is bool, err error) error {
	if is {
		return err
	}
	return nil
}

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
