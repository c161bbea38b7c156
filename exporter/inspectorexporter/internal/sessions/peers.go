package sessions

import (
	"hash/maphash"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/parts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// maxCallers is how many calls of agents are remembered, to find whose connection it is
// that carries one of them.
const maxCallers = 8192

// peers are the sessions that agents report themselves, and the connections that may be
// theirs, by agent.
type peers struct {
	agents, wires map[string][]*session
	callers       map[uint64]*session // by the hash of a call's id
	called        recent.Ring[uint64]
}

func newPeers() peers {
	return peers{agents: map[string][]*session{}, wires: map[string][]*session{}, callers: map[uint64]*session{}}
}

// keep lists the session as what it turned out to be.
func (p *peers) keep(s *session) {
	p.forget(s)
	switch {
	case s.Agent != "":
		p.agents[s.Agent] = append(p.agents[s.Agent], s)
	case s.IsWire():
		p.wires[s.Wire] = append(p.wires[s.Wire], s)
	}
}

func (p *peers) forget(s *session) {
	for _, all := range []map[string][]*session{p.agents, p.wires} {
		for _, name := range []string{s.Agent, s.Wire} {
			if i := slices.Index(all[name], s); i >= 0 {
				all[name] = slices.Delete(all[name], i, i+1)
			}
		}
	}
}

var callSeed = maphash.MakeSeed()

// calls notes that the agent's session has the call.
func (p *peers) calls(s *session, call string) {
	hash := maphash.String(callSeed, call)
	if _, again := p.callers[hash]; !again {
		if given := p.called.Add(hash, maxCallers); given != 0 {
			delete(p.callers, given)
		}
	}
	p.callers[hash] = s
}

// joins are the sessions of a board that are part of another one.
type joins struct{ *Board }

// learn folds the connections of an agent into its session, as far as it is certain
// whose they are: a call has the id of one of the session's, or the agent has no other
// session at the time at which one of the two turns out to be there.
func (b joins) learn(s *session, service, name string, m pcommon.Map) {
	news := b.recall(s, service, name, m)
	call := facts.Str(m, mcpconv.GenAIToolCallID)
	switch {
	case s.IsWire():
		if whole := b.agentOf(s, call, news); whole != nil {
			b.fold(s.row.ID, parts.Part{Whole: whole.row.ID, Wire: true})
		}
	case s.Agent == "":
	case news:
		for _, wire := range slices.Clone(b.peers.wires[s.Agent]) {
			if wire.row.EndedAt == 0 && b.only(wire) == s {
				b.fold(wire.row.ID, parts.Part{Whole: s.row.ID, Wire: true})
			}
		}
	}
}

// recall notes what a span tells of the session, also if it is one of an earlier run; it is
// true if that is news.
func (b joins) recall(s *session, service, name string, m pcommon.Map) (news bool) {
	if news = s.Learn(name, service, m); news {
		b.peers.keep(s)
		s.row.wire = s.IsWire()
	}
	if call := facts.Str(m, mcpconv.GenAIToolCallID); call != "" && s.Agent != "" {
		b.peers.calls(s, call)
	}
	return news
}

// agentOf is the session of the agent whose connection this is, nil if that is not
// certain.
func (b joins) agentOf(wire *session, call string, news bool) *session {
	if call != "" {
		s := b.peers.callers[maphash.String(callSeed, call)]
		if s != nil && s.Agent == wire.Wire && b.byID[s.row.ID] == s {
			return s
		}
	}
	if !news {
		return nil
	}
	return b.only(wire)
}

// maxLooked is how many sessions of an agent, the latest, are looked at to find its only
// one.
const maxLooked = 64

// only is the one session that the agent of a connection has at its time, nil if there may
// be several.
func (b joins) only(wire *session) (found *session) {
	all := b.peers.agents[wire.Wire]
	if !b.OnePerson || len(all) > maxLooked && all[len(all)-maxLooked-1].row.EndedAt == 0 {
		return nil
	}
	for _, s := range all[max(0, len(all)-maxLooked):] {
		switch {
		case s.row.EndedAt != 0 && s.row.EndedAt < wire.row.StartedAt:
		case found != nil:
			return nil
		default:
			found = s
		}
	}
	return found
}
