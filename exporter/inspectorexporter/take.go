package inspectorexporter

import (
	"context"
	"encoding/json"
	"errors"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
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
	l := newLine()
	defer l.release()
	likely := attribute.Ours(span.Attributes())
	if likely { // most of the work is in the line, so others need not wait for it
		l.add(r, s, span)
	}
	i.order.Lock()
	defer i.order.Unlock()
	u := i.board.Span(r.Resource(), span, s.Scope().Name())
	i.fold(u.Folds)
	if u.ID == "" && u.Stream == daily.None {
		return 1
	}
	if !likely {
		l.add(r, s, span)
	}
	if o := u.Opened; o != nil { // before its marker, so that a session's file begins with its root
		l.open(r, s, o, span.TraceID(), span.StartTimestamp(), span.Attributes())
	}
	if u.ID == "" {
		i.keep(i.daily.Add(u.Stream, sessions.HasFailed(span)), l)
		return 0
	}
	i.took(u, l)
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
		for _, s := range r.ScopeLogs().All() {
			for _, record := range s.LogRecords().All() {
				skipped += i.log(r, s, record)
			}
		}
	}
	i.finish(ctx, skipped)
	return nil
}

// log takes one log record; it is 1 if that belongs to no session.
func (i *inspector) log(r plog.ResourceLogs, s plog.ScopeLogs, record plog.LogRecord) (skipped int) {
	i.order.Lock()
	defer i.order.Unlock()
	u := i.board.Log(r.Resource(), record, s.Scope().Name())
	i.fold(u.Folds)
	switch {
	case u.ID == "" && u.Stream == daily.None:
		return 1
	case u.ID == "":
		return 0 // its span says the same
	}
	l := newLine()
	defer l.release()
	if o := u.Opened; o != nil {
		rs, ss := ptrace.NewResourceSpans(), ptrace.NewScopeSpans()
		r.Resource().CopyTo(rs.Resource())
		s.Scope().CopyTo(ss.Scope())
		l.open(rs, ss, o, record.TraceID(), record.Timestamp(), record.Attributes())
	}
	i.took(u, l)
	return 0
}

// fold puts what is known of sessions that are part of another one into its file, and
// remembers that they are.
func (i *inspector) fold(folds []sessions.Fold) {
	for _, f := range folds {
		text, _ := json.Marshal(f) // nothing in it can fail
		i.store.Notes.Add(append(text, '\n'))
		if size, epoch, moved := i.store.Move(f.ID, f.Whole); moved {
			i.board.Grown(f.Whole, size, epoch)
		}
	}
}

// took keeps the line and tells the events of one item.
func (i *inspector) took(u sessions.Update, l *line) {
	i.keep(u.ID, l)
	for k := range u.Events {
		i.publish(u.Events[k])
	}
	if u.Noted {
		i.store.Changed(u.ID)
	}
	if u.Ended {
		i.store.Finish(u.ID)
	}
}

// keep adds the line to the file of the session or stream.
func (i *inspector) keep(id string, l *line) {
	if len(l.text) > 0 {
		size, epoch := i.store.Append(id, l.text)
		i.board.Grown(id, size, epoch)
		i.daily.Grown(id, size, epoch)
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
