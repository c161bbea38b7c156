package telemetry

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Batch collects the telemetry of one transaction. It implements
// [session.Sink]; it is used by one goroutine.
type Batch struct {
	opt     *Options
	now     int64
	traces  ptrace.Traces
	logs    plog.Logs
	spans   int
	records int
	scopes  []scope
	sender  string // whose telemetry went last
	at      int    // where it went, of scopes
	attrs   attrs
	samples Samples
}

var _ session.Sink = (*Batch)(nil)

// scope holds the telemetry of one service, made when it is needed.
type scope struct {
	service string
	hasSpan bool
	hasLog  bool
	spans   ptrace.SpanSlice
	records plog.LogRecordSlice
}

var spare = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch starts an empty batch; now is the arrival time.
func NewBatch(opt *Options, now int64) *Batch {
	b := spare.Get().(*Batch)
	b.opt, b.now, b.attrs = opt, now, attrs{opt: opt}
	return b
}

// Traces are the spans that were collected, and how many they are; nothing must
// be told to the batch afterwards.
func (b *Batch) Traces() (ptrace.Traces, int) {
	if b.spans == 0 {
		return ptrace.NewTraces(), 0
	}
	return b.traces, b.spans
}

// Logs are the records that were collected, and how many they are; nothing must
// be told to the batch afterwards.
func (b *Batch) Logs() (plog.Logs, int) {
	if b.records == 0 {
		return plog.NewLogs(), 0
	}
	return b.logs, b.records
}

// Samples are what was measured.
func (b *Batch) Samples() *Samples { return &b.samples }

// Release gives the batch back, without which it is merely garbage. What Traces
// and Logs returned is not concerned.
func (b *Batch) Release() {
	clear(b.scopes)
	clear(b.samples.calls)
	*b = Batch{scopes: b.scopes[:0], samples: Samples{calls: b.samples.calls[:0]}}
	spare.Put(b)
}

// span is a new span of the sender: one resource for each name.
func (b *Batch) span(sender, otherwise string) ptrace.Span {
	b.from(sender, otherwise)
	return b.nextSpan()
}

// nextSpan is a new span of the service that was picked last.
func (b *Batch) nextSpan() ptrace.Span {
	c := &b.scopes[b.at]
	if !c.hasSpan {
		b.spanScope(c)
	}
	b.spans++
	return c.spans.AppendEmpty()
}

// from picks the service that the telemetry which follows comes from.
func (b *Batch) from(sender, otherwise string) {
	own := sender == "" // not from the wire
	switch sender {
	case "":
		sender = otherwise
	case inspectorName:
		own, sender = true, inspectorName
	}
	if len(b.scopes) > 0 && sender == b.sender {
		return
	}
	name := sender
	if b.opt.ServiceName != "" {
		name = b.opt.ServiceName
	} else if !own {
		name = b.opt.Names.Bound(sender)
	}
	b.sender, b.at = sender, b.scope(name)
}

// scope is the place of a service; few services share a batch.
func (b *Batch) scope(service string) int {
	for i := range b.scopes {
		if b.scopes[i].service == service {
			return i
		}
	}
	b.scopes = append(b.scopes, scope{service: service})
	return len(b.scopes) - 1
}

func (b *Batch) spanScope(c *scope) {
	if b.spans == 0 {
		b.traces = ptrace.NewTraces()
	}
	rs := b.traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(mcpconv.ServiceName, c.service)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(b.opt.ScopeName)
	ss.Scope().SetVersion(b.opt.ScopeVersion)
	c.spans, c.hasSpan = ss.Spans(), true
}

// place is where a span stands.
type place struct {
	trace      identity.TraceID
	span       identity.SpanID
	parent     identity.SpanID
	start, end int64
}

func fill(span ptrace.Span, p place) {
	span.SetTraceID(pcommon.TraceID(p.trace))
	span.SetSpanID(pcommon.SpanID(p.span))
	span.SetParentSpanID(pcommon.SpanID(p.parent))
	span.SetStartTimestamp(pcommon.Timestamp(p.start)) //nolint:gosec // message times are positive
	span.SetEndTimestamp(pcommon.Timestamp(p.end))     //nolint:gosec // message times are positive
	span.SetKind(ptrace.SpanKindInternal)
}

// Bits of a span's flags beside those of W3C (OTLP, SpanFlags).
const remoteParent = 0x100 | 0x200

// under notes the trace context that a span's parent came from.
func under(span ptrace.Span, c session.Context) {
	span.TraceState().FromRaw(c.State)
	span.SetFlags(uint32(c.Flags) | remoteParent)
}

func link(span ptrace.Span, c session.Context) {
	if !c.Valid() {
		return
	}
	l := span.Links().AppendEmpty()
	l.SetTraceID(pcommon.TraceID(c.Trace))
	l.SetSpanID(pcommon.SpanID(c.Span))
	l.TraceState().FromRaw(c.State)
	l.SetFlags(uint32(c.Flags))
}

// conclude writes how the span ended, and all attributes collected.
func (b *Batch) conclude(span ptrace.Span, o *session.Outcome) {
	a := &b.attrs
	if !o.Failed {
		a.str(mcpconv.StatusCode, "ok")
		a.into(span)
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
	a.into(span)
}
