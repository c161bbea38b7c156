package telemetry

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Batch collects the telemetry of one transaction. It implements [session.Sink];
// it is used by one goroutine.
type Batch struct {
	opt     *Options
	out     output
	attrs   attrs // of the span or record that is being written
	samples Samples
	natives []Addition
	inner   map[identity.SpanID]int64 // when spans end at the earliest, for what lies in them
}

var _ session.Sink = (*Batch)(nil)

var pool = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch is an empty batch; now is the arrival time in Unix ns.
func NewBatch(opt *Options, now int64) *Batch {
	b := pool.Get().(*Batch)
	b.opt, b.attrs = opt, attrs{opt: opt, servers: b.attrs.servers}
	b.out.opt, b.out.now = opt, now
	b.samples.Reset(wanted{All: opt.Metrics, Resources: opt.ResourceURIs})
	return b
}

// Traces are the collected spans, and how many there are. Nothing must be
// reported to the batch afterwards.
func (b *Batch) Traces() (ptrace.Traces, int) {
	if b.out.spans == 0 {
		return ptrace.NewTraces(), 0
	}
	b.out.flush()
	return b.out.traces, b.out.spans
}

// Logs are the collected records, and how many there are. Nothing must be
// reported to the batch afterwards.
func (b *Batch) Logs() (plog.Logs, int) {
	if b.out.records == 0 {
		return plog.NewLogs(), 0
	}
	return b.out.logs, b.out.records
}

// Samples returns the measurements of the batch. They are valid until Release.
func (b *Batch) Samples() *Samples { return &b.samples }

// Release gives the batch back to a pool; one that is not released is merely
// garbage. What Traces and Logs returned stays valid.
func (b *Batch) Release() {
	clear(b.natives)
	clear(b.inner)
	b.samples.Reset(wanted{})
	*b = Batch{out: b.out.reset(), samples: b.samples, natives: b.natives[:0], inner: b.inner, attrs: attrs{servers: b.attrs.servers}}
	pool.Put(b)
}

// around returns the place with an end that is not before that of what lies in it, as far
// as the batch has it: what has no duration ends 1 ns later than its time.
func (b *Batch) around(p place) place {
	end := max(p.end, p.start+1, b.inner[p.span])
	if end > p.end && !p.parent.IsZero() {
		b.lasts(p.parent, end)
	}
	p.end = end
	return p
}

// lasts makes a span end at that time at the earliest.
func (b *Batch) lasts(span identity.SpanID, until int64) {
	if b.inner == nil {
		b.inner = map[identity.SpanID]int64{}
	}
	b.inner[span] = max(until, b.inner[span])
}

// finish writes how the span ended, and all collected attributes.
func (b *Batch) finish(span ptrace.Span, o *session.Outcome) {
	a := &b.attrs
	if !o.Failed {
		a.str(mcpconv.StatusCode, "ok")
		a.into(span.Attributes())
		return
	}
	message := strings.Clone(o.Message) // it may alias the body
	a.str(mcpconv.StatusCode, "error")
	a.str(mcpconv.ErrorCode, o.Code)
	a.payload(mcpconv.ErrorMessage, message)
	a.otel(mcpconv.ErrorType, o.Type)
	a.otel(mcpconv.RPCStatusCode, o.RPCCode)
	span.Status().SetCode(ptrace.StatusCodeError)
	if b.opt.Payloads {
		span.Status().SetMessage(message)
	}
	a.into(span.Attributes())
}
