package sessions

import (
	"cmp"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// progressEvery is how often a session's progress is told at most.
const progressEvery = Time(500 * time.Millisecond)

// throttle keeps the progress that came too soon after the last one.
type throttle struct {
	progress   *Progressed
	progressAt Time
}

// passed tells of a span that ended what the reference Inspector has an event for.
func (s *session) passed(now Time, span ptrace.Span, u *Update) {
	if s.row.EndedAt != 0 || HasFailed(span) {
		return
	}
	m := span.Attributes()
	method := cmp.Or(str(m, mcpconv.RPCMethod), str(m, mcpconv.MethodName))
	switch name := span.Name(); {
	case name == mcpconv.SpanResource, method == mcpconv.MethodResourcesRead:
		s.fetched(m, u)
	case name == mcpconv.SpanPrompt, method == mcpconv.MethodPromptsGet:
		s.prompted(m, u)
	case name == mcpconv.SpanProgress, method == mcpconv.NotificationProgress, name == mcpconv.NotificationProgress:
		s.progressed(now, m, u)
	default:
		s.progressOf(now, span.Events(), u)
	}
}

// progressOf tells of the last progress of a call, of which only its span knows.
func (s *session) progressOf(now Time, events ptrace.SpanEventSlice, u *Update) {
	for i := events.Len() - 1; i >= 0; i-- {
		if e := events.At(i); e.Name() == mcpconv.EventProgress {
			s.progressed(now, e.Attributes(), u)
			return
		}
	}
}

func (s *session) fetched(m pcommon.Map, u *Update) {
	f := &Fetched{URI: text(str(m, mcpconv.ResourceURI)), MimeType: text(str(m, mcpconv.ResourceMimeType))}
	if n, ok := amount(m, mcpconv.ResourceBytes); ok {
		f.Bytes = &n
	}
	if f.URI != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeResourceFetched, Fetched: f})
	}
}

func (s *session) prompted(m pcommon.Map, u *Update) {
	p := &Prompted{
		TemplateID: text(cmp.Or(str(m, mcpconv.PromptTemplate), str(m, mcpconv.GenAIPromptName))),
		Parameters: object(str(m, mcpconv.PromptParameters)),
	}
	if p.TemplateID != "" {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypePromptUsed, Prompted: p})
	}
}

// progressed tells of progress whose share of the whole is known. What comes too
// soon waits, and gives way to what is later.
func (s *session) progressed(now Time, m pcommon.Map, u *Update) {
	share, ok := float(m, mcpconv.ProgressPercent)
	if !ok {
		done, _ := float(m, mcpconv.Progress)
		total, known := float(m, mcpconv.ProgressTotal)
		share, ok = 100*done/total, known && total > 0
	}
	p := &Progressed{Token: text(anyText(m, mcpconv.ProgressToken)), Percent: share, Message: text(str(m, mcpconv.ProgressMessage))}
	if !ok || p.Token == "" || !(share >= 0 && share <= 100) {
		return
	}
	if now < s.progressAt+progressEvery {
		s.progress = p
		return
	}
	s.progress, s.progressAt = nil, now
	u.Events = append(u.Events, Event{Type: inspectorwire.TypeProgressUpdate, Progressed: p})
}

// anyText is a value as a text: tokens may be numbers.
func anyText(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.AsString()
	}
	return ""
}
