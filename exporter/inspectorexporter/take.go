package inspectorexporter

import (
	"context"
	"encoding/json"
	"errors"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

var errNotRunning = errors.New("the exporter is not running")

// traces takes spans. The disk is no reason to refuse them.
func (i *inspector) traces(ctx context.Context, td ptrace.Traces) error {
	if !i.running.Load() {
		return errNotRunning
	}
	each(td, func(r ptrace.ResourceSpans, _ ptrace.ScopeSpans, span ptrace.Span) {
		i.board.Foresee(r.Resource(), span)
	})
	skipped := 0
	each(td, func(r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span) { skipped += i.span(r, s, span) })
	i.finish(ctx, skipped)
	return nil
}

func each(td ptrace.Traces, visit func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span)) {
	for _, r := range td.ResourceSpans().All() {
		for _, s := range r.ScopeSpans().All() {
			for _, span := range s.Spans().All() {
				visit(r, s, span)
			}
		}
	}
}

// span takes one span; it is 1 if that belongs to no session and no stream. Lines and events
// are in the order in which the row changed: of a span that runs and its end the
// end is the last.
func (i *inspector) span(r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span) (skipped int) {
	i.order.Lock()
	defer i.order.Unlock()
	u := i.board.Span(r.Resource(), span, s.Scope().Name())
	if u.ID == "" && u.Stream == daily.None {
		return 1
	}
	i.line = i.line[:0]
	if o := u.Opened; o != nil { // before its marker, so that a session's file begins with its root
		running := opened(o, span.TraceID(), span.StartTimestamp(), span.Attributes())
		i.line = inspectorwire.AppendSpan(i.line, r, s, running, inspectorwire.ProcessWriter())
	}
	i.line = inspectorwire.AppendSpan(i.line, r, s, span, inspectorwire.ProcessWriter())
	if u.ID == "" {
		i.keep(i.daily.Add(u.Stream, sessions.HasFailed(span)))
		return 0
	}
	i.took(u)
	return 0
}

// logs takes log records: signs of life, and starts of calls and phases, which
// become lines of spans that run.
func (i *inspector) logs(ctx context.Context, ld plog.Logs) error {
	if !i.running.Load() {
		return errNotRunning
	}
	skipped := 0
	for _, r := range ld.ResourceLogs().All() {
		rs := ptrace.NewResourceSpans()
		r.Resource().CopyTo(rs.Resource())
		for _, s := range r.ScopeLogs().All() {
			ss := ptrace.NewScopeSpans()
			s.Scope().CopyTo(ss.Scope())
			for _, record := range s.LogRecords().All() {
				skipped += i.log(rs, ss, record)
			}
		}
	}
	i.finish(ctx, skipped)
	return nil
}

// log takes one log record; it is 1 if that belongs to no session.
func (i *inspector) log(r ptrace.ResourceSpans, s ptrace.ScopeSpans, record plog.LogRecord) (skipped int) {
	i.order.Lock()
	defer i.order.Unlock()
	u := i.board.Log(r.Resource(), record, s.Scope().Name())
	switch {
	case u.ID == "" && u.Stream == daily.None:
		return 1
	case u.ID == "":
		return 0 // its span says the same
	}
	i.line = i.line[:0]
	if o := u.Opened; o != nil {
		running := opened(o, record.TraceID(), record.Timestamp(), record.Attributes())
		i.line = inspectorwire.AppendSpan(i.line, r, s, running, inspectorwire.ProcessWriter())
	}
	i.took(u)
	return 0
}

// opened is the span that runs, as far as it is known.
func opened(o *sessions.Opening, trace pcommon.TraceID, start pcommon.Timestamp, m pcommon.Map) ptrace.Span {
	span := ptrace.NewSpan()
	span.SetTraceID(trace)
	span.SetSpanID(o.Span)
	span.SetParentSpanID(o.Parent)
	span.SetName(o.Name)
	span.SetStartTimestamp(start)
	m.CopyTo(span.Attributes())
	return span
}

// maxSpareLine is the longest line whose memory is kept for the next one.
const maxSpareLine = 1 << 20

// took keeps the line and tells the events of one item.
func (i *inspector) took(u sessions.Update) {
	i.keep(u.ID)
	for k := range u.Events {
		i.publish(u.Events[k])
	}
	if u.Ended {
		i.store.Finish(u.ID)
	}
}

// keep adds the line to the file of the session or stream.
func (i *inspector) keep(id string) {
	if len(i.line) > 0 {
		size, epoch := i.store.Append(id, i.line)
		i.board.Grown(id, size, epoch)
		i.daily.Grown(id, size, epoch)
	}
	if cap(i.line) > maxSpareLine {
		i.line = nil
	}
}

// publish takes the event as it is: nothing that it points to changes any more.
func (i *inspector) publish(e sessions.Event) {
	i.events.Publish(func(id int64) []byte {
		e.EventID = id
		text, _ := json.Marshal(&e) // nothing in it can fail
		return text
	})
}

func (i *inspector) finish(ctx context.Context, skipped int) {
	if skipped > 0 {
		i.telemetry.McpInspectorExporterSkippedItems.Add(ctx, int64(skipped))
	}
	i.events.Rouse()
}
