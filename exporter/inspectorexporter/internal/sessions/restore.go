package sessions

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
)

// Restore applies a span, of the instrumentation scope of that name, of an earlier run that
// is in the file of that id. One without an end ran when that was written.
func (b *Board) Restore(id string, resource pcommon.Resource, span ptrace.Span, scope string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, whole := b.parts.place(attribute.OwnID(resource.Attributes(), span.Attributes()), span.Attributes())
	if whole == id && attribute.IsFrame(span) {
		b.owner(id, span.TraceID(), when(span.StartTimestamp()), true).row.SpanCount++
		return // it says nothing of the whole, as when it came
	}
	if mine, _ := attribute.ID(own); own == "" || mine != id {
		own = id
	}
	at := when(max(span.StartTimestamp(), span.EndTimestamp()))
	s := b.owner(own, span.TraceID(), cmp.Or(when(span.StartTimestamp()), at), true)
	s.ours = s.ours || strings.HasPrefix(scope, ourScopes)
	if span.EndTimestamp() == 0 {
		s.begin(span.SpanID(), span.TraceID(), when(span.StartTimestamp()), span.Name(), span.Attributes(), &Update{})
		b.done(s, s.row.StartedAt, &Update{})
		return
	}
	b.span(s, resource, span, own, at)
	if !s.live {
		s.progress = nil // was published then
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

// Known applies a row of an earlier run. It is false if the session's lines must be read
// too, and does nothing if the session is there already.
func (b *Board) Known(id string, meta []byte, epoch int, current bool) bool {
	var row Row
	if len(meta) == 0 || json.Unmarshal(meta, &row) != nil || row.ID != id || !attribute.IsPlain(id) {
		return false
	}
	current = current && row.EndedAt != 0
	if !current && !row.recorded() {
		return false // its lines say all that the row does
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byID[id] != nil || b.parts.of(id) != "" {
		return true
	}
	b.records = b.records || row.recorded()
	b.makeRoom()
	row.Engine = cmp.Or(row.Engine, defaultEngine)
	row.TraceEpoch, row.NoRecordSince = epoch, 0
	if row.OpenCalls == nil {
		row.OpenCalls = []OpenCall{}
	}
	s := &session{row: row, shown: shown{state: row.State}, recordAt: row.LastSeen, stage: announced}
	s.beaten = row.deltas()
	if row.EndedAt != 0 {
		s.stage = finished
		s.over = row.EndedAt
		s.plain = plain{began: row.StartedAt, end: row.EndedAt, title: row.Title, err: row.Error, failed: row.State == Failed}
	}
	if !current {
		s.row.SpanCount, s.row.TraceBytes = 0, 0 // come with its lines
	}
	b.insert(s)
	return current
}
