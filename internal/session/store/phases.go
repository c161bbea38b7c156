package store

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

// phaseCounts counts the open sessions in each phase, the first in none,
// and how many of them are stalled.
type phaseCounts struct {
	in      [7]int
	stalled int
}

// recount counts the entry where its session's phase is now.
func (p *phaseCounts) recount(e *Entry) {
	p.uncount(e)
	if s := e.s; s != nil && !s.Connection && s.Open() {
		e.phase = 1
		if s.Phase != nil {
			e.phase += mcpconv.PhaseIndex(s.Phase.Name)
		}
		p.in[e.phase-1]++
		if e.stalled = s.Stalled; e.stalled {
			p.stalled++
		}
	}
}

func (p *phaseCounts) uncount(e *Entry) {
	if e.phase > 0 {
		p.in[e.phase-1]--
		e.phase = 0
	}
	if e.stalled {
		p.stalled--
		e.stalled = false
	}
}

// byName leaves out the phases that nobody is in.
func (p *phaseCounts) byName() (by map[string]int) {
	for i, n := range p.in {
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
