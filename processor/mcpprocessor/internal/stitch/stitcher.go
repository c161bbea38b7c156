package stitch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// Stitcher is the consumer that joins traces. It is safe for concurrent use.
type Stitcher struct {
	*core
	next    consumer.Traces
	read    reader
	shared  *replicas // nil: this process alone
	timer   timer
	stopped sync.Once
}

// New returns a stitcher in front of next. An index that is configured need not
// be reachable yet. An error means that the TLS settings are unusable.
func New(ctx context.Context, set processor.Settings, cfg *Config, telemetry *metadata.TelemetryBuilder, next consumer.Traces) (*Stitcher, error) {
	s := newStitcher(set.TelemetrySettings, cfg, telemetry, next)
	if cfg.Index.Type == IndexRedis {
		shared, err := connect(ctx, set.Logger, cfg)
		if err != nil {
			return nil, err
		}
		s.useIndex(shared)
	}
	err := s.observeWaiting(set.ID)
	return s, err
}

func newStitcher(set component.TelemetrySettings, cfg *Config, telemetry *metadata.TelemetryBuilder, next consumer.Traces) *Stitcher {
	start := time.Now()
	l := &ledger{idx: NewMemory(cfg.MaxSpans, cfg.Remember)}
	c := &core{
		clock:     func() int64 { return int64(time.Since(start)) },
		telemetry: telemetry,
		retries:   newRetryQueue(next, telemetry, set.Logger),
		wake:      make(chan struct{}, 1),
		limit:     quota{cfg.MaxSpans, cfg.MaxBytes},
		mode:      linkMode{l},
		ledger:    l,
		traces:    &traces{ledger: l, win: newWindow(cfg.Wait, cfg.MaxWait)},
	}
	s := &Stitcher{
		core: c, next: next,
		read:  reader{keys: cfg.Keys, clients: cfg.ClientNames, servers: cfg.ServerNames, hash: LocalHash()},
		timer: timer{core: c, status: newStatus(set.Logger), retries: newBackOff()},
	}
	if cfg.Mode == ModeRewrite {
		c.mode, s.read.all = rewriteMode{c.traces}, true
	}
	return s
}

func connect(ctx context.Context, logger *zap.Logger, cfg *Config) (*Redis, error) {
	c := &cfg.Index
	o := RedisOptions{
		Endpoint: c.Endpoint, Username: c.Username, Password: string(c.Password),
		Prefix: c.KeyPrefix, TTL: cmp.Or(c.TTL, cfg.Remember), Logger: logger,
	}
	if c.TLS != nil {
		var err error
		if o.TLS, err = c.TLS.LoadTLSConfig(ctx); err != nil {
			return nil, fmt.Errorf("stitch::index::tls: %w", err)
		}
	}
	return NewRedis(&o), nil
}

// useIndex shares what is known. Nothing is stitched before the index answered.
func (s *Stitcher) useIndex(shared sharedIndex) {
	s.shared = &replicas{core: s.core, index: shared, timeout: askTimeout, asking: make(chan struct{}, 1)}
	s.timer.shared = s.shared
	s.read.hash = SharedHash
	s.ledger.shared = true
}

// observeWaiting registers the gauges. The id keeps those of several processors apart:
// of values with the same attributes only the last one that is observed counts.
func (s *Stitcher) observeWaiting(id component.ID) error {
	own := metric.WithAttributes(attribute.String("processor", id.String()))
	spans := s.telemetry.RegisterMcpProcessorStitchWaitingSpansCallback(func(_ context.Context, o metric.Int64Observer) error {
		n, _ := s.waiting()
		o.Observe(int64(n), own)
		return nil
	})
	bytes := s.telemetry.RegisterMcpProcessorStitchWaitingBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
		_, n := s.waiting()
		o.Observe(n, own)
		return nil
	})
	return errors.Join(spans, bytes)
}

// Start starts the timer. It reports to host what fails later.
func (s *Stitcher) Start(_ context.Context, host component.Host) error {
	s.timer.status.health.Host = host
	s.timer.start()
	return nil
}

// Capabilities reports that spans are changed.
func (*Stitcher) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// ConsumeTraces passes on the spans that need not wait, and keeps the others. An
// error is the next consumer's, or says that no more spans may wait; then nothing
// of the batch is kept, and it can be sent again.
func (s *Stitcher) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	batch := scratch.Get().(*items)
	defer batch.free()
	s.read.read(batch, td)
	if len(*batch) == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	if s.stitch(*batch) == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	return s.hold(ctx, td, *batch)
}

// stitch lets the mode decide about the batch. It returns how many of its spans
// have to wait.
func (s *Stitcher) stitch(batch items) (waiting int) {
	s.do(func() {
		s.mode.observe(batch)
		s.bound()
		if s.shared == nil {
			waiting = s.place(batch)
		}
	})
	if s.shared != nil {
		s.shared.converge()
		s.do(func() { waiting = s.place(batch) })
	}
	return waiting
}

func (s *Stitcher) place(batch items) (waiting int) {
	if s.closed {
		s.traces.releaseAll()
	}
	return s.mode.place(batch)
}

// hold keeps the spans of a batch that wait, once the next consumer accepted the
// others.
func (s *Stitcher) hold(ctx context.Context, td ptrace.Traces, batch items) error {
	need, err := s.reserve(ctx, batch)
	if err != nil {
		return err
	}
	defer s.unreserve(need)
	if need.spans == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	kept := td
	if need.spans < len(batch) {
		kept = splitTraces(td, func(i int) bool { return batch[i].waits })
		if err := s.next.ConsumeTraces(ctx, td); err != nil {
			return withKept(err, kept)
		}
	}
	s.keep(ctx, kept, batch)
	return nil
}

func (s *Stitcher) keep(ctx context.Context, kept ptrace.Traces, batch items) {
	waiting := make([]*item, 0, len(batch))
	for i := range batch {
		if batch[i].waits {
			waiting = append(waiting, &batch[i])
		}
	}
	b := newHeldBatch(kept, client.FromContext(ctx), func(i int) int64 { return waiting[i].size })
	spans := b.Spans()
	s.do(func() {
		for i, it := range waiting {
			s.traces.keep(it, &spans[i])
		}
	})
	s.nudge()
}

// withKept adds the spans that were about to wait to an error that a batch was
// refused in part: a sender that sends the refused part again sends these too.
func withKept(err error, kept ptrace.Traces) error {
	part, ok := errors.AsType[consumererror.Traces](err)
	if !ok {
		return err
	}
	all := ptrace.NewTraces()
	part.Data().CopyTo(all)
	kept.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	return consumererror.NewTraces(err, all)
}
