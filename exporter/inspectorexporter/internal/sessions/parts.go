package sessions

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/parts"
)

// Some sessions are part of another one and have no row of their own: a sub-agent
// that calls its conversation a session, and what an agent's MCP servers were seen to
// do, through a tap or at /mcp.

// foresee notes that a span says which session it is part of.
func (b joins) foresee(own string, m pcommon.Map) {
	id, tenants, to := b.parts.Said(own, m)
	if b.byID[tenants] != nil {
		b.fold(tenants, to)
	}
	if id != "" {
		b.fold(id, to)
	}
}

// gather makes the row of a trace part of the session that a span of the trace names:
// what came before it did not say whose it is.
func (b joins) gather(own string, trace pcommon.TraceID) {
	s := b.byTrace[trace]
	if own == "" || s == nil || len(s.row.ID) != 2*len(trace) || s.row.ID != trace.String() {
		return
	}
	if id, _ := facts.ID(own); id != s.row.ID {
		b.fold(s.row.ID, parts.Part{Whole: strings.Clone(id)})
	}
}

// fold makes a session part of another one, whose row then stands for both.
func (b joins) fold(id string, to parts.Part) {
	id = strings.Clone(id)
	s, whole := b.byID[id], b.byID[to.Whole]
	if b.parts.Add(id, to) || s != nil { // each of its spans may say so
		b.folds = append(b.folds, Fold{ID: id, Part: to})
	}
	if s == nil || s == whole {
		return
	}
	if whole == nil {
		whole = b.make(to.Whole, pcommon.TraceID{}, s.row.StartedAt)
	}
	if !to.Wire {
		began := whole.row.StartedAt
		if absorb(whole, s); whole.row.StartedAt != began {
			b.byStart.resort(whole)
		}
	}
	addSources(&whole.row, s.row.Sources)
	b.drop(s)
	for _, trace := range s.traces.Items {
		b.claim(whole, trace)
	}
	b.touch(whole)
}

// Fold is a session that became part of another one.
type Fold struct {
	ID string `json:"id"`
	parts.Part
}

// Folded takes a fold of an earlier run, before any session of it.
func (b Earlier) Folded(f Fold) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts.Add(f.ID, f.Part)
}

// Whole is the id of the row that the session of that id is part of, "" if it has its own.
func (b Earlier) Whole(id string) string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.parts.Of(id).Whole
}

// absorb counts what a part did that had a row of its own until now.
func absorb(s, p *session) {
	s.row.StartedAt = min(s.row.StartedAt, p.row.StartedAt)
	s.row.adopt(&p.row)
	s.Absorb(&p.Tally, p.row.Totals)
	s.row.SpanCount = figures.Plus(s.row.SpanCount, p.row.SpanCount)
	s.Sum(&s.row.Totals)
}

// addSources adds names of sources.
func addSources(r *Row, names []string) {
	for _, name := range names {
		if !slices.Contains(r.Sources, name) && len(r.Sources) < maxSources {
			r.Sources = append(slices.Clip(r.Sources), name)
		}
	}
}

// onWire takes a span or log record of a part that counts for nothing in the row of the
// whole: it belongs there, and is a sign of life.
func (b joins) onWire(whole string, span *ptrace.Span) (u Update, ok bool) {
	s := b.byID[whole]
	if s == nil {
		return u, false
	}
	s.heard()
	s.row.LastSeen = max(s.row.LastSeen, b.time())
	if span != nil {
		s.row.SpanCount++
		b.claim(s, span.TraceID())
	}
	u.ID = s.row.ID
	b.done(s, s.row.StartedAt, &u)
	return u, true
}
