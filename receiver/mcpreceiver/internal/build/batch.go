package build

import (
	"strings"

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
	scopes map[string]ptrace.SpanSlice // by service name
	sender string                      // whose spans went last
	spans  ptrace.SpanSlice            // where they went
	attrs  attrs
}

var _ tracker.Sink = (*Batch)(nil)

// NewBatch starts an empty batch.
func NewBatch(opt *Options) *Batch {
	return &Batch{opt: opt, traces: ptrace.NewTraces(), attrs: attrs{opt: opt}}
}

// Traces is what was collected; the batch must not be used afterwards.
func (b *Batch) Traces() ptrace.Traces { return b.traces }

// slice is where the spans of a sender go: one resource for each name.
func (b *Batch) slice(sender, otherwise string) ptrace.SpanSlice {
	own := sender == "" || sender == inspectorName // not from the wire
	if sender == "" {
		sender = otherwise
	}
	if b.scopes != nil && sender == b.sender {
		return b.spans
	}
	name := sender
	if b.opt.ServiceName != "" {
		name = b.opt.ServiceName
	} else if !own {
		name = b.opt.Names.Bound(sender)
	}
	spans, ok := b.scopes[name]
	if !ok {
		spans = b.newScope(name)
	}
	b.sender, b.spans = sender, spans
	return spans
}

func (b *Batch) newScope(service string) ptrace.SpanSlice {
	rs := b.traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(mcpconv.ServiceName, service)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(b.opt.ScopeName)
	ss.Scope().SetVersion(b.opt.ScopeVersion)
	if b.scopes == nil {
		b.scopes = map[string]ptrace.SpanSlice{}
	}
	b.scopes[service] = ss.Spans()
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
