package table

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

// phaseCounts are how many sessions are open in each phase, the first in none.
type phaseCounts [7]int

// recount counts the entry where its session's phase is now.
func (p *phaseCounts) recount(e *Entry) {
	p.uncount(e)
	if s := e.s; s != nil && !s.Connection && s.Open() {
		e.phase = 1
		if s.Phase != nil {
			e.phase += mcpconv.PhaseIndex(s.Phase.Name)
		}
		p[e.phase-1]++
	}
}

func (p *phaseCounts) uncount(e *Entry) {
	if e.phase > 0 {
		p[e.phase-1]--
		e.phase = 0
	}
}

// byName leaves out the phases that nobody is in.
func (p *phaseCounts) byName() (by map[string]int) {
	for i, n := range p {
		if n == 0 {
			continue
		}
		if by == nil {
			by = map[string]int{}
		}
		name := ""
		if i > 0 {
			name = mcpconv.Phases[i-1]
		}
		by[name] = n
	}
	return by
}
