// Package parts remembers which sessions are part of another one.
package parts

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Part is a session that is part of another one.
type Part struct {
	Whole string `json:"whole"`          // id of the row
	Wire  bool   `json:"wire,omitempty"` // it is the connection of an MCP server: what its calls do, the agent reports
}

// maxParts is how many parts are remembered.
const maxParts = 4096

// Parts are the sessions that are part of another one, by the ids of their rows.
type Parts struct {
	known map[string]Part
	order recent.Ring[string]
}

// Add notes that the session whose row has the id is part of another one. It reports
// whether that is news.
func (p *Parts) Add(id string, to Part) bool {
	if p.known == nil {
		p.known = map[string]Part{}
	}
	before, again := p.known[id]
	if !again {
		if given := p.order.Add(id, maxParts); given != "" {
			delete(p.known, given)
		}
	}
	p.known[id] = to
	return before != to
}

// Of is what the session of that own id is part of; its Whole is empty if it is on
// its own.
func (p *Parts) Of(own string) Part {
	if own == "" || len(p.known) == 0 {
		return Part{}
	}
	id, _ := facts.ID(own)
	found := p.known[id]
	for range maxSteps {
		further, ok := p.known[found.Whole]
		if !ok || found.Whole == "" {
			break
		}
		found = Part{Whole: further.Whole, Wire: found.Wire || further.Wire}
	}
	return found
}

// Place is the session of an item whose sender knows it as own, and what that is part of.
// What the item says itself holds before what others said: several tenants may have
// sessions of the same id.
func (p *Parts) Place(own string, m pcommon.Map) (string, Part) {
	whole := facts.Str(m, mcpconv.SessionPartOf)
	if isTenants(own, whole) {
		own = whole
	}
	known := p.Of(own)
	if whole == "" || whole == own {
		return own, known
	}
	to := p.Of(whole)
	if to.Whole == "" {
		to.Whole, _ = facts.ID(whole)
	}
	if to.Whole == known.Whole {
		return own, known
	}
	if id, _ := facts.ID(own); id == to.Whole { // as it would be of itself
		return own, Part{}
	}
	return own, to
}

// isTenants reports whether whole is what a tenant's session is called, not one that it is
// part of: its own id behind those of the tenant.
func isTenants(own, whole string) bool { return own != "" && strings.HasSuffix(whole, "/"+own) }

// Said is what an item says its session is part of, whose sender knows it as own: id is
// that of its row, "" if it has none of its own, or if another tenant said the same of
// a session of that id. tenants is that of the row which the session has as its tenant's,
// if it has one.
func (p *Parts) Said(own string, m pcommon.Map) (id, tenants string, to Part) {
	whole := facts.Str(m, mcpconv.SessionPartOf)
	if own == "" || whole == "" || own == whole || isTenants(own, whole) {
		return "", "", Part{}
	}
	to.Whole, _ = facts.ID(whole)
	if further := p.Of(whole); further.Whole != "" {
		to.Whole = further.Whole
	}
	to.Whole = strings.Clone(to.Whole)
	id, _ = facts.ID(own)
	if tenant := whole[:strings.LastIndexByte(whole, '/')+1]; tenant != "" {
		if tenants, _ = facts.ID(tenant + own); tenants == to.Whole {
			tenants = ""
		}
		if before := p.Of(own).Whole; before != "" && before != to.Whole {
			id = ""
		}
	}
	if id == to.Whole {
		id = ""
	}
	return id, tenants, to
}

// maxSteps is how many sessions may be part of one another.
const maxSteps = 4
