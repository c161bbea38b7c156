package mcpprocessor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// stitcher is the consumer that joins traces. Spans that need not wait are
// passed on within ConsumeTraces, whose error is the next consumer's; nothing of
// a batch waits before the rest of it was taken, so that a batch that is refused
// can be sent again. It is safe for concurrent use.
type stitcher struct {
	cfg       *StitchConfig
	next      consumer.Traces
	telemetry *metadata.TelemetryBuilder
	read      reader
	out       outbox
	clock     func() int64          // ns
	shared    sharedIndex           // nil: this process alone
	asking    chan struct{}         // full while somebody asks it
	answers   atomic.Int64          // of it, or none in time
	failed    atomic.Pointer[error] // of a question, since it was last checked
	timer     timer
	overdue   []*trace // of the timer

	mu       sync.Mutex
	rules    rules
	reserved room // for spans that are about to wait
	closed   bool
}

func newStitcher(set component.TelemetrySettings, cfg *StitchConfig, telemetry *metadata.TelemetryBuilder, next consumer.Traces) *stitcher {
	start := time.Now()
	life, stop := context.WithCancel(context.Background())
	return &stitcher{
		cfg: cfg, next: next, telemetry: telemetry,
		read:  reader{keys: cfg.Keys, clients: cfg.ClientNames, servers: cfg.ServerNames, all: cfg.Mode == StitchRewrite, hash: index.LocalHash()},
		out:   outbox{next: next, telemetry: telemetry, logger: set.Logger, turn: make(chan struct{}, 1), life: life, stop: stop},
		clock: func() int64 { return int64(time.Since(start)) },
		rules: rules{
			linkOnly: cfg.Mode == StitchLink,
			win:      window.New[knot](cfg.Wait, cfg.MaxWait),
			idx:      index.NewMemory(cfg.MaxSpans, cfg.Remember),
		},
		asking: make(chan struct{}, 1),
		timer:  timer{wake: make(chan struct{}, 1), logger: set.Logger},
	}
}

func (*stitcher) Capabilities() consumer.Capabilities { return capabilities }

// ConsumeTraces passes on what need not wait and keeps the rest. The error is
// the next consumer's, or says that no more can wait; then nothing was kept.
func (s *stitcher) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	batch := scratch.Get().(*items)
	defer batch.free()
	s.read.read(batch, td)
	if len(*batch) == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	waiting := s.decide(*batch)
	if waiting == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	return s.hold(ctx, td, *batch)
}

// decide lets the rules see the batch and changes what they say. It returns how
// many of its spans have to wait.
func (s *stitcher) decide(batch items) (waiting int) {
	s.do(func(r *rules) {
		r.warm(batch)
		for i := range batch {
			r.observe(&batch[i])
		}
		s.bound()
		if s.shared == nil {
			waiting = s.place(batch)
		}
	})
	if s.shared != nil {
		s.converge()
		s.do(func(*rules) { waiting = s.place(batch) })
	}
	return waiting
}

// place links and rewrites the spans whose trace is decided, and marks the
// others. It returns how many have to wait.
func (s *stitcher) place(batch items) (waiting int) {
	if s.closed {
		s.rules.letAllGo()
	}
	for i := range batch {
		if s.rules.place(&batch[i]) {
			waiting++
		}
	}
	return waiting
}

// place reports whether the span has to wait.
func (r *rules) place(it *item) bool {
	r.link(it)
	if r.linkOnly {
		return false
	}
	it.waits = true
	return !r.moveOn(it)
}

// moveOn lets a span pass if its trace is decided by now.
func (r *rules) moveOn(it *item) bool {
	fate, ok := it.settled()
	if ok && it.waits {
		rewrite(it.span, fate)
		it.waits = false
	}
	return ok
}

// hold keeps the spans that wait, once the next consumer has the others.
func (s *stitcher) hold(ctx context.Context, td ptrace.Traces, batch items) error {
	room, err := s.reserve(ctx, batch)
	if err != nil {
		return err
	}
	defer s.giveBack(room)
	if room.spans == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	kept := td
	if room.spans < len(batch) {
		kept = window.Split(td, func(i int) bool { return batch[i].waits })
		if err := s.next.ConsumeTraces(ctx, td); err != nil {
			return withKept(err, kept)
		}
	}
	s.keep(ctx, kept, batch)
	return nil
}

func (s *stitcher) keep(ctx context.Context, kept ptrace.Traces, batch items) {
	waiting := make([]*item, 0, len(batch))
	for i := range batch {
		if batch[i].waits {
			waiting = append(waiting, &batch[i])
		}
	}
	b := window.NewBatch(kept, client.FromContext(ctx), func(i int) int64 { return waiting[i].size })
	spans := b.Spans()
	s.do(func(r *rules) {
		for i, it := range waiting {
			r.keep(it, &spans[i])
		}
	})
	s.nudge()
}

// keep lets a span wait, unless its trace was decided meanwhile.
func (r *rules) keep(it *item, span *window.Span) {
	if fate, ok := it.settled(); ok {
		rewrite(span.Span, fate)
		r.leaving.Add(span)
		return
	}
	r.win.Add(it.open, span)
}

// do calls f with the rules and sends what they let go. What is refused stays
// in the outbox, so there is nothing to be done about it here.
func (s *stitcher) do(f func(*rules)) {
	if s.try(f) != nil {
		s.nudge()
	}
}

// try is do, and tells whether the next consumer took what was let go.
func (s *stitcher) try(f func(*rules)) error {
	parcels, tally := s.locked(f)
	tally.record(context.Background(), s.telemetry)
	return s.out.send(parcels)
}

func (s *stitcher) locked(f func(*rules)) ([]window.Parcel, stitchTally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.rules
	r.now = s.clock()
	f(r)
	tally := r.tally
	r.tally = stitchTally{}
	return r.leaving.Pack(), tally
}
