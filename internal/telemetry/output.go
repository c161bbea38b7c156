package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// output holds the spans and log records of a batch, with one resource for each
// service. The zero value with opt set is empty.
type output struct {
	opt      *Options
	now      int64         // Unix ns, when the records were observed
	traces   ptrace.Traces // valid if there are spans
	logs     plog.Logs     // valid if there are records
	spans    int
	records  int
	services []service
	sender   string        // of the current service
	current  int           // index of services
	newest   int           // index of the service whose spans come last, from 1; 0 if they are of others
	ending   bool          // spans must come behind all that are there
	ends     ptrace.Traces // those that need a resource of their own for that, valid if hasEnds
	hasEnds  bool
}

// service has the telemetry of one service; its slices are made when needed.
type service struct {
	name     string
	hasSpans bool
	hasLogs  bool
	hasEnds  bool
	spans    ptrace.SpanSlice
	records  plog.LogRecordSlice
	ends     ptrace.SpanSlice
}

// reset is an empty output that reuses the memory of o.
func (o *output) reset() output {
	clear(o.services)
	return output{services: o.services[:0]}
}

// span is a new span of the sender, or of fallback if the sender is unknown.
func (o *output) span(sender, fallback string) ptrace.Span {
	o.from(sender, fallback)
	return o.nextSpan()
}

// nextSpan is a new span of the current service.
func (o *output) nextSpan() ptrace.Span {
	s := &o.services[o.current]
	if o.ending && s.hasSpans && o.newest != o.current+1 {
		return o.nextEnd(s)
	}
	if !s.hasSpans {
		o.addSpans(s)
		o.newest = o.current + 1
	}
	o.spans++
	return s.spans.AppendEmpty()
}

// from makes the sender's the current service.
func (o *output) from(sender, fallback string) {
	own := sender == "" // the name is not from the wire
	switch sender {
	case "":
		sender = fallback
	case inspectorName:
		own, sender = true, inspectorName
	case mcpconv.ACPClient:
		own, sender = true, mcpconv.ACPClient
	case mcpconv.ACPAgent:
		own, sender = true, mcpconv.ACPAgent
	}
	if len(o.services) > 0 && sender == o.sender {
		return
	}
	name := sender
	if o.opt.ServiceName != "" {
		name = o.opt.ServiceName
	} else if !own {
		name = o.opt.Names.Bound(sender)
	}
	o.sender, o.current = sender, o.index(name)
}

// index is where the service is; few services share a batch.
func (o *output) index(name string) int {
	for i := range o.services {
		if o.services[i].name == name {
			return i
		}
	}
	o.services = append(o.services, service{name: name})
	return len(o.services) - 1
}

// nextEnd is a new span behind all others of the batch. All such spans of a service
// share one resource, however many sessions end.
func (o *output) nextEnd(s *service) ptrace.Span {
	if !o.hasEnds {
		o.ends, o.hasEnds = ptrace.NewTraces(), true
	}
	if !s.hasEnds {
		s.ends, s.hasEnds = o.resource(o.ends, s.name), true
	}
	o.spans++
	return s.ends.AppendEmpty()
}

// flush puts the ends where they belong.
func (o *output) flush() {
	if o.hasEnds {
		o.ends.ResourceSpans().MoveAndAppendTo(o.traces.ResourceSpans())
		o.hasEnds = false
	}
}

func (o *output) addSpans(s *service) {
	if o.spans == 0 {
		o.traces = ptrace.NewTraces()
	}
	s.spans, s.hasSpans = o.resource(o.traces, s.name), true
}

// resource adds the service to the traces, without spans.
func (o *output) resource(to ptrace.Traces, name string) ptrace.SpanSlice {
	rs := to.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(mcpconv.ServiceName, name)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(o.opt.ScopeName)
	ss.Scope().SetVersion(o.opt.ScopeVersion)
	return ss.Spans()
}

// append adds n spans that others made.
func (o *output) append(td ptrace.Traces, n int) {
	if o.spans == 0 {
		o.traces = ptrace.NewTraces()
	}
	o.spans += n
	td.ResourceSpans().MoveAndAppendTo(o.traces.ResourceSpans())
	o.newest = 0
}

func (o *output) addLogs(s *service) {
	if o.records == 0 {
		o.logs = plog.NewLogs()
	}
	rl := o.logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr(mcpconv.ServiceName, s.name)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(o.opt.ScopeName)
	sl.Scope().SetVersion(o.opt.ScopeVersion)
	s.records, s.hasLogs = sl.LogRecords(), true
}

// place is where a span stands; times are Unix ns. A span without duration ends 1 ns after
// its start: backends take equal times for an error.
type place struct {
	trace      identity.TraceID
	span       identity.SpanID
	parent     identity.SpanID
	start, end int64
}

// set gives the span its place. Its kind is internal until it is set again.
func (p place) set(span ptrace.Span) {
	span.SetTraceID(pcommon.TraceID(p.trace))
	span.SetSpanID(pcommon.SpanID(p.span))
	span.SetParentSpanID(pcommon.SpanID(p.parent))
	span.SetStartTimestamp(timestamp(p.start))
	span.SetEndTimestamp(timestamp(max(p.end, p.start+1)))
	span.SetKind(ptrace.SpanKindInternal)
}

func timestamp(ns int64) pcommon.Timestamp {
	return pcommon.Timestamp(ns) //nolint:gosec // message times are positive
}

// Bits of a span's flags beside those of W3C (OTLP, SpanFlags).
const remoteParent = 0x100 | 0x200

// setRemote records the trace context that a span's parent came from.
func setRemote(span ptrace.Span, c identity.Context) {
	span.TraceState().FromRaw(c.State)
	span.SetFlags(uint32(c.Flags) | remoteParent)
}
