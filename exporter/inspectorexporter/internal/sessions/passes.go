package sessions

import (
	"cmp"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// progressEvery is how often a session's progress is told at most.
const progressEvery = Time(500 * time.Millisecond)

// throttle keeps the progress that came too soon after the last one.
type throttle struct {
	progress   *Progressed // that waits
	madeAt     Time        // when it was made
	progressAt Time        // when the last one was passed on
}

// passed tells of a span that ended what the reference Inspector has an event for.
func (s *session) passed(now Time, span ptrace.Span, u *Update) {
	if s.row.EndedAt != 0 || HasFailed(span) {
		return
	}
	m, at := span.Attributes(), when(span.EndTimestamp())
	method := cmp.Or(attribute.Str(m, mcpconv.RPCMethod), attribute.Str(m, mcpconv.MethodName))
	switch name := span.Name(); {
	case name == mcpconv.SpanResource, method == mcpconv.MethodResourcesRead:
		if f := fetched(m); f != nil {
			u.Events = append(u.Events, Event{Type: inspectorwire.TypeResourceFetched, Fetched: f, Timestamp: at})
		}
	case name == mcpconv.SpanPrompt, method == mcpconv.MethodPromptsGet:
		if p := prompted(m); p != nil {
			u.Events = append(u.Events, Event{Type: inspectorwire.TypePromptUsed, Prompted: p, Timestamp: at})
		}
	case name == mcpconv.SpanProgress, method == mcpconv.NotificationProgress, name == mcpconv.NotificationProgress:
		s.progressed(now, at, m, u)
	default:
		s.progressOf(now, span.Events(), u)
	}
}

// progressOf tells of the last progress of a call, of which only its span knows.
func (t *throttle) progressOf(now Time, events ptrace.SpanEventSlice, u *Update) {
	for i := events.Len() - 1; i >= 0; i-- {
		if e := events.At(i); e.Name() == mcpconv.EventProgress {
			t.progressed(now, when(e.Timestamp()), e.Attributes(), u)
			return
		}
	}
}

// progressed tells of progress whose share of the whole is known. What comes too
// soon waits, and gives way to what is later.
func (t *throttle) progressed(now, at Time, m pcommon.Map, u *Update) {
	p := progressed(m)
	if p == nil {
		return
	}
	if now < t.progressAt+progressEvery {
		t.progress, t.madeAt = p, at
		return
	}
	t.progress, t.progressAt = nil, now
	u.Events = append(u.Events, Event{Type: inspectorwire.TypeProgressUpdate, Progressed: p, Timestamp: at})
}
