package sessions

import (
	"cmp"
	"encoding/json"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/tally"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Restore takes a span of an earlier run that is in the file of that id. One
// without an end ran when that was written.
func (b *Board) Restore(id string, resource pcommon.Resource, span ptrace.Span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, p := b.parts.Place(facts.OwnID(resource.Attributes(), span.Attributes()), span.Attributes())
	if p.Whole == id && (p.Wire || facts.IsFrame(span)) {
		s := b.owner(id, span.TraceID(), figures.When(span.StartTimestamp()), true)
		s.row.SpanCount++
		return // it counts for nothing, as when it came
	}
	if mine, _ := facts.ID(own); own == "" || mine != id {
		own = id
	}
	at := figures.When(max(span.StartTimestamp(), span.EndTimestamp()))
	s := b.owner(own, span.TraceID(), cmp.Or(figures.When(span.StartTimestamp()), at), true)
	if start := figures.When(span.StartTimestamp()); s.live && start != 0 && start < s.row.StartedAt {
		s.row.StartedAt = start // it went on before it was read
		b.byStart.resort(s)
	}
	if span.EndTimestamp() == 0 {
		s.restoreRunning(span)
		b.done(s, s.row.StartedAt, &Update{})
		return
	}
	b.span(s, resource, span, own, at)
	joins{b}.recall(s, facts.Str(resource.Attributes(), mcpconv.ServiceName), span.Name(), span.Attributes())
	if !s.live {
		s.pending, s.progress = deltas{}, nil // were told then
	}
}

// restoreRunning takes what a marker or log record had told. Of the session
// itself its marker tells, which is a span.
func (s *session) restoreRunning(span ptrace.Span) {
	m, start := span.Attributes(), figures.When(span.StartTimestamp())
	switch {
	case span.Name() == mcpconv.SpanWorkflow && span.ParentSpanID().IsEmpty():
	case span.Name() == mcpconv.SpanPhase:
		s.phase(span.Name(), start, 0, m)
	default:
		s.begin(span.SpanID(), span.TraceID(), start, span.Name(), m, &Update{})
	}
}

// Earlier is what is known of earlier runs beside their sessions.
type Earlier struct{ *Board }

// Heard notes when the last of a session of an earlier run came. The times that its
// spans have are others' and may be long before or after that.
func (b Earlier) Heard(id string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.byID[id]; s != nil && !s.live {
		s.row.LastSeen = min(Time(at.UnixNano()), b.time())
		b.touch(s)
	}
}

// heard notes that this run was told of the session.
func (s *session) heard() { s.live, s.row.Restored = true, false }

// Known takes a row of an earlier run. It is false if that cannot be read, and
// does nothing if the session is there already.
func (b *Board) Known(id string, meta []byte, epoch int) bool {
	var row Row
	if len(meta) == 0 || json.Unmarshal(meta, &row) != nil || row.ID != id || !facts.IsPlain(id) || row.EndedAt == 0 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byID[id] != nil || b.parts.Of(id).Whole != "" {
		return true
	}
	b.makeRoom()
	row.foreign = row.EndReason == ""
	row.Engine = cmp.Or(row.Engine, defaultEngine)
	row.TraceEpoch, row.titled = epoch, row.Title != ""
	if row.OpenCalls == nil {
		row.OpenCalls = []OpenCall{}
	}
	b.insert(&session{row: row, Tally: tally.From(row.Totals)})
	return true
}
