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
	"go.opentelemetry.io/collector/pdata/pcommon"
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

// core holds what a stitcher knows, under one lock, and the way out for the spans
// that it releases. It is safe for concurrent use.
type core struct {
	clock     func() int64 // ns
	telemetry *metadata.TelemetryBuilder
	retries   *retryQueue
	wake      chan struct{} // wakes the timer
	limit     quota

	mu       sync.Mutex
	mode     mode
	ledger   *ledger
	traces   *traces
	reserved quota // for spans that are about to wait
	closed   bool
}

// quota counts spans that wait, or may wait.
type quota struct {
	spans int
	bytes int64
}

func (q *quota) add(spans int, bytes int64) {
	q.spans += spans
	q.bytes += bytes
}

// do calls f under the lock, and sends the spans that it releases. What the next
// consumer refuses is in the retry queue, for the timer.
func (c *core) do(f func()) {
	if c.try(f) != nil {
		c.nudge()
	}
}

// try is do, and reports whether the next consumer accepted the spans.
func (c *core) try(f func()) error {
	out, stats := c.locked(f)
	stats.record(context.Background(), c.telemetry)
	return c.retries.Send(out)
}

func (c *core) locked(f func()) ([]batchOut, stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.now = c.clock()
	f()
	counted := c.ledger.stats
	c.ledger.stats = stats{}
	return c.traces.outgoing.Flush(), counted
}

// nudge wakes the timer: something may be due earlier than it expects.
func (c *core) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// waiting returns how much waits to be decided, or to be accepted.
func (c *core) waiting() (spans int, bytes int64) {
	var all quota
	all.add(c.retries.Held())
	c.mu.Lock()
	defer c.mu.Unlock()
	all.add(c.traces.win.Spans(), c.traces.win.Bytes())
	return all.spans, all.bytes
}

// heldBatch is the waiting spans of one request, with each of their resources and
// scopes once. A batch leaves in parts, each with the metadata of the client that
// sent the request.
type heldBatch struct {
	td      ptrace.Traces
	client  client.Info
	origins []origin
	spans   []waitingSpan
	bytes   int64 // of the resources and scopes
	waiting int   // spans in a window
	leaving int   // spans in an outgoing; while it is flushed, the number of the part
	out     ptrace.Traces
	scopes  []ptrace.ScopeSpans // of out, by origin
}

// origin is the resource and the scope that a span arrived with.
type origin struct {
	rs ptrace.ResourceSpans
	ss ptrace.ScopeSpans
}

// waitingSpan is one waiting span.
type waitingSpan struct {
	ptrace.Span
	batch  *heldBatch
	next   *waitingSpan // of the same trace
	origin int32
	bytes  int32
}

// newHeldBatch takes all spans of td, which it owns from now on. size returns about
// how many bytes of memory the i-th of them uses.
func newHeldBatch(td ptrace.Traces, from client.Info, size func(i int) int64) *heldBatch {
	b := &heldBatch{td: td, client: from, spans: make([]waitingSpan, 0, td.SpanCount())}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			b.origins = append(b.origins, origin{rs, ss})
			b.bytes += originSize(rs, ss)
			for _, span := range ss.Spans().All() {
				b.spans = append(b.spans, waitingSpan{
					Span: span, batch: b, origin: int32(len(b.origins) - 1), bytes: int32(min(size(len(b.spans)), 1<<30)), //nolint:gosec // bounded
				})
			}
		}
	}
	return b
}

// Spans returns the batch's spans in the order in which they arrived.
func (b *heldBatch) Spans() []waitingSpan { return b.spans }

func appendResource(td ptrace.Traces, from ptrace.ResourceSpans) ptrace.ResourceSpans {
	rs := td.ResourceSpans().AppendEmpty()
	from.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(from.SchemaUrl())
	return rs
}

func appendScope(rs ptrace.ResourceSpans, from ptrace.ScopeSpans) ptrace.ScopeSpans {
	ss := rs.ScopeSpans().AppendEmpty()
	from.Scope().CopyTo(ss.Scope())
	ss.SetSchemaUrl(from.SchemaUrl())
	return ss
}

// batchOut is the part of one batch that leaves at one time.
type batchOut struct {
	Traces ptrace.Traces
	Spans  int
	Bytes  int64
	client client.Info
}

// Context adds the metadata of the client that sent the spans to ctx.
func (b *batchOut) Context(ctx context.Context) context.Context {
	return client.NewContext(ctx, b.client)
}

// outgoing collects spans that leave together. The zero value is ready.
type outgoing struct {
	spans   []*waitingSpan
	batches []*heldBatch
}

// Add adds a span, which must not be in a window any more.
func (o *outgoing) Add(s *waitingSpan) {
	if s.batch.leaving == 0 {
		o.batches = append(o.batches, s.batch)
	}
	s.batch.leaving++
	o.spans = append(o.spans, s)
}

// Empty reports whether nothing leaves.
func (o *outgoing) Empty() bool { return len(o.spans) == 0 }

// Flush returns the spans by the batch that they arrived in, and forgets them. A
// batch that leaves whole is not copied.
func (o *outgoing) Flush() []batchOut {
	if o.Empty() {
		return nil
	}
	out := make([]batchOut, len(o.batches))
	for i, b := range o.batches {
		out[i] = batchOut{Traces: b.open(), Spans: b.leaving, Bytes: b.bytes, client: b.client}
		b.leaving = i
	}
	for _, s := range o.spans {
		out[s.batch.leaving].Bytes += int64(s.bytes)
		s.leave()
	}
	for _, b := range o.batches {
		b.close()
	}
	*o = outgoing{}
	return out
}

// open returns the traces that the leaving spans of the batch will be in.
func (b *heldBatch) open() ptrace.Traces {
	if b.leaving == len(b.spans) {
		return b.td
	}
	b.out = ptrace.NewTraces()
	b.scopes = make([]ptrace.ScopeSpans, len(b.origins))
	return b.out
}

func (b *heldBatch) close() {
	b.out, b.scopes, b.leaving = ptrace.Traces{}, nil, 0
}

// leave moves the span out of its batch, unless the whole batch leaves.
func (s *waitingSpan) leave() {
	b := s.batch
	if b.scopes == nil {
		return
	}
	if b.scopes[s.origin] == (ptrace.ScopeSpans{}) {
		from := b.origins[s.origin]
		b.scopes[s.origin] = appendScope(appendResource(b.out, from.rs), from.ss)
	}
	s.MoveTo(b.scopes[s.origin].Spans().AppendEmpty())
}

// splitTraces moves the spans for which keep is true out of td into traces of their
// own, with copies of their resources and scopes. keep gets the number of the span
// among all spans of td. No empty resource or scope is left in td.
func splitTraces(td ptrace.Traces, keep func(i int) bool) ptrace.Traces {
	kept := ptrace.NewTraces()
	i := 0
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		var krs ptrace.ResourceSpans
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			var kss ptrace.ScopeSpans
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				if i++; !keep(i - 1) {
					return false
				}
				if krs == (ptrace.ResourceSpans{}) {
					krs = appendResource(kept, rs)
				}
				if kss == (ptrace.ScopeSpans{}) {
					kss = appendScope(krs, ss)
				}
				span.MoveTo(kss.Spans().AppendEmpty())
				return true
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return kept
}

// traces are the traces that wait in rewrite mode, and the spans that are about to
// leave. In link mode there are none.
type traces struct {
	*ledger
	win      *window
	outgoing outgoing
	stack    []*trace // scratch of resolve
}

// get returns the trace with this id if it is pending, else nil.
func (ts *traces) get(id pcommon.TraceID) *trace {
	if known := ts.idx.Trace(id, ts.now); known != nil && known.Pending != 0 {
		return ts.win.At(known.Pending)
	}
	return nil
}

// keep lets a span wait, unless its trace was resolved in the meantime.
func (ts *traces) keep(it *item, span *waitingSpan) {
	if resolution, ok := it.resolved(); ok {
		rewrite(span.Span, resolution)
		ts.outgoing.Add(span)
		return
	}
	ts.win.Add(it.pending, span)
}

// enqueue lets t wait for a claim of its value, whose entry and place these are.
func (ts *traces) enqueue(t *trace, entry *KeyEntry, place Place) {
	if entry.Queue != 0 {
		t.next = ts.win.At(entry.Queue)
		t.next.prev = t
	}
	t.queued, entry.Queue = true, t.Handle
	t.keyPlace = place
}

// dequeue undoes enqueue.
func (ts *traces) dequeue(t *trace) {
	if !t.queued {
		return
	}
	if t.next != nil {
		t.next.prev = t.prev
	}
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		ts.idx.KeyAt(t.keyPlace, t.value, ts.now).Queue = handle(t.next)
	}
	t.prev, t.next, t.queued = nil, nil, false
}

// pendingQueries returns a query for each value and each trace that is waited for.
func (ts *traces) pendingQueries() (qs []Query) {
	for t := range ts.win.All() {
		switch {
		case t.remote && t.state == undecided:
			qs = append(qs, Query{Kind: GetDecision, Trace: t.ID})
		case t.queued && t.prev == nil: // once for all that wait for it
			qs = append(qs, Query{Kind: GetClaim, Value: t.value})
		}
	}
	return qs
}
