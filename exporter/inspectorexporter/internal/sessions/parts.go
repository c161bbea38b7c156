package sessions

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Some sessions are part of another one and have no row of their own: a sub-agent
// that calls its conversation a session, and a connection whose calls an agent's session
// has. Their receiver says so.

// foresee notes that a span says which session it is part of.
func (b *Board) foresee(own string, m pcommon.Map) {
	id, tenants, to := b.parts.said(own, m)
	if b.byID[tenants] != nil {
		b.fold(tenants, to)
	}
	if id != "" {
		b.fold(id, to)
	}
}

// gather makes the row of a trace part of the session that a span of the trace names:
// what came before it did not say whose it is.
func (b *Board) gather(own string, trace pcommon.TraceID) {
	s := b.byTrace[trace]
	if own == "" || s == nil || len(s.row.ID) != 2*len(trace) || s.row.ID != trace.String() {
		return
	}
	if id, _ := attribute.ID(own); id != s.row.ID {
		b.fold(s.row.ID, strings.Clone(id))
	}
}

// fold makes a session part of another one, whose row then stands for both.
func (b *Board) fold(id, to string) {
	id = strings.Clone(id)
	s, whole := b.byID[id], b.byID[to]
	if b.parts.add(id, to) || s != nil { // each of its spans may say so
		b.folds = append(b.folds, Fold{ID: id, Whole: to})
	}
	if s == nil || s == whole {
		return
	}
	if whole == nil {
		whole = b.make(to, pcommon.TraceID{}, s.row.StartedAt)
	}
	began := whole.row.StartedAt
	if absorb(whole, s); whole.row.StartedAt != began {
		b.byStart.resort(whole)
	}
	b.drop(s)
	for _, trace := range s.traces.Items {
		b.claim(whole, trace)
		if s.serves {
			whole.guests.add(trace)
		}
	}
	b.touch(whole)
}

// Fold is a session that became part of another one.
type Fold struct {
	ID    string `json:"id"`
	Whole string `json:"whole"` // id of the row
}

// Folded applies a fold of an earlier run, before any session of it.
func (b Earlier) Folded(f Fold) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts.add(f.ID, f.Whole)
}

// Whole is the id of the row that the session of that id is part of, "" if it has its own.
func (b Earlier) Whole(id string) string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.parts.of(id)
}

// absorb adds a part that had a row of its own until now.
func absorb(s, p *session) {
	r, of := &s.row, &p.row
	r.SpanCount = plus(r.SpanCount, of.SpanCount)
	if r.recorded() {
		return
	}
	r.StartedAt = min(r.StartedAt, of.StartedAt)
	if r.Host == "" {
		r.Host = of.Host
	}
	s.plain.last = max(s.plain.last, p.plain.last)
}

// frame applies a span or log record of a part that says nothing of the whole: it belongs
// there, and is a sign of life.
func (b *Board) frame(whole string, trace pcommon.TraceID) (u Update, ok bool) {
	s := b.byID[whole]
	if s == nil {
		return u, false
	}
	s.live = true
	s.row.LastSeen = max(s.row.LastSeen, b.time())
	if !trace.IsEmpty() {
		s.row.SpanCount++
		b.claim(s, trace)
	}
	u.ID = s.row.ID
	b.done(s, s.row.StartedAt, &u)
	return u, true
}

// maxParts is how many parts are remembered.
const maxParts = 4096

// parts are the sessions that are part of another one: the ids of the rows of both.
type parts struct {
	known map[string]string
	order ring[string]
}

// add notes that the session whose row has the id is part of another one. It reports
// whether that is news.
func (p *parts) add(id, whole string) bool {
	if p.known == nil {
		p.known = map[string]string{}
	}
	before, again := p.known[id]
	if !again {
		if given := p.order.Add(id, maxParts); given != "" {
			delete(p.known, given)
		}
	}
	p.known[id] = whole
	return before != whole
}

// of returns the id of the row that the session of that own id is part of, "" if it has
// its own.
func (p *parts) of(own string) (whole string) {
	if own == "" || len(p.known) == 0 {
		return ""
	}
	id, _ := attribute.ID(own)
	whole = p.known[id]
	for range maxSteps {
		further := p.known[whole]
		if whole == "" || further == "" {
			break
		}
		whole = further
	}
	return whole
}

// place returns the session of an item whose sender knows it as own, and the one that it is
// part of. What the item says itself holds before what others said: several tenants may
// have sessions of the same id.
func (p *parts) place(own string, m pcommon.Map) (session, whole string) {
	said := attribute.Str(m, mcpconv.SessionPartOf)
	if isTenants(own, said) {
		own = said
	}
	known := p.of(own)
	if said == "" || said == own {
		return own, known
	}
	whole = p.of(said)
	if whole == "" {
		whole, _ = attribute.ID(said)
	}
	if id, _ := attribute.ID(own); id == whole && known != whole { // as it would be of itself
		return own, ""
	}
	return own, whole
}

// isTenants reports whether whole is what a tenant's session is called, not one that it is
// part of: its own id behind those of the tenant.
func isTenants(own, whole string) bool { return own != "" && strings.HasSuffix(whole, "/"+own) }

// said is what an item says its session is part of, whose sender knows it as own: id is
// that of its row, "" if it has none of its own, or if another tenant said the same of
// a session of that id. tenants is that of the row which the session has as its tenant's,
// if it has one.
func (p *parts) said(own string, m pcommon.Map) (id, tenants, to string) {
	whole := attribute.Str(m, mcpconv.SessionPartOf)
	if own == "" || whole == "" || own == whole || isTenants(own, whole) {
		return "", "", ""
	}
	to, _ = attribute.ID(whole)
	if further := p.of(whole); further != "" {
		to = further
	}
	to = strings.Clone(to)
	id, _ = attribute.ID(own)
	if tenant := whole[:strings.LastIndexByte(whole, '/')+1]; tenant != "" {
		if tenants, _ = attribute.ID(tenant + own); tenants == to {
			tenants = ""
		}
		if before := p.of(own); before != "" && before != to {
			id = ""
		}
	}
	if id == to {
		id = ""
	}
	return id, tenants, to
}

// maxSteps is how many sessions may be part of one another.
const maxSteps = 4
