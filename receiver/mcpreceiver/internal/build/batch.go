package build

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
)

// Batch collects the telemetry of one transaction. It implements
// [tracker.Sink]; it is used by one goroutine.
type Batch struct {
	opt    *Options
	traces ptrace.Traces
	scopes []scope
	sender string           // whose spans went last
	spans  ptrace.SpanSlice // where they went
	attrs  attrs
}

var _ tracker.Sink = (*Batch)(nil)

// scope holds the spans of one service.
type scope struct {
	service string
	spans   ptrace.SpanSlice
}

var spare = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch starts an empty batch.
func NewBatch(opt *Options) *Batch {
	b := spare.Get().(*Batch)
	b.opt, b.attrs = opt, attrs{opt: opt}
	return b
}

// Traces is what was collected; nothing must be told to the batch afterwards.
func (b *Batch) Traces() ptrace.Traces {
	if len(b.scopes) == 0 {
		return ptrace.NewTraces()
	}
	return b.traces
}

// Empty tells whether there are no spans.
func (b *Batch) Empty() bool { return len(b.scopes) == 0 }

// Release gives the batch back, without which it is merely garbage. What Traces
// returned is not concerned.
func (b *Batch) Release() {
	clear(b.scopes)
	*b = Batch{scopes: b.scopes[:0]}
	spare.Put(b)
}

// slice is where the spans of a sender go: one resource for each name.
func (b *Batch) slice(sender, otherwise string) ptrace.SpanSlice {
	own := sender == "" // not from the wire
	switch sender {
	case "":
		sender = otherwise
	case inspectorName:
		own, sender = true, inspectorName
	}
	if len(b.scopes) > 0 && sender == b.sender {
		return b.spans
	}
	name := sender
	if b.opt.ServiceName != "" {
		name = b.opt.ServiceName
	} else if !own {
		name = b.opt.Names.Bound(sender)
	}
	b.sender, b.spans = sender, b.scope(name)
	return b.spans
}

// scope is where a service's spans go; few services share a batch.
func (b *Batch) scope(service string) ptrace.SpanSlice {
	for i := range b.scopes {
		if b.scopes[i].service == service {
			return b.scopes[i].spans
		}
	}
	return b.newScope(service)
}

func (b *Batch) newScope(service string) ptrace.SpanSlice {
	if len(b.scopes) == 0 {
		b.traces = ptrace.NewTraces()
	}
	rs := b.traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(mcpconv.ServiceName, service)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(b.opt.ScopeName)
	ss.Scope().SetVersion(b.opt.ScopeVersion)
	b.scopes = append(b.scopes, scope{service, ss.Spans()})
	return ss.Spans()
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
func under(span ptrace.Span, c tracker.Context) {
	span.TraceState().FromRaw(c.State)
	span.SetFlags(uint32(c.Flags) | remoteParent)
}

func link(span ptrace.Span, c tracker.Context) {
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
func (b *Batch) conclude(span ptrace.Span, o *tracker.Outcome) {
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
