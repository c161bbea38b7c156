package session

import (
	"slices"
	"strings"
	"sync"
)

// processes are those of agents that reported on sessions. An agent that is killed reports no
// end. It is safe for concurrent use.
type processes struct {
	mu  sync.Mutex
	all map[string]agentProcess // by session
	by  map[string][]string     // the sessions, by the id of the process
}

// agentProcess is the process that reported on a session last.
type agentProcess struct {
	id        string
	confirmed bool // it did so twice: a process between a hook and its agent lives for one hook only
	seen      bool // it was seen to run: it is one of this machine
	missing   bool // the last time, it was not
}

// processesMax bounds the sessions whose processes are known.
const processesMax = 4096

// add notes that the process reported on the session, which has a tenant or not.
func (p *processes) add(session, id string, tenant bool, alive func(string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.all[session]
	switch {
	case known.id == id && known.confirmed:
		return
	case known.id == id:
		known.confirmed = true
	case !ok && len(p.all) >= processesMax:
		return
	default:
		p.forget(session)
		known = agentProcess{id: strings.Clone(id), seen: alive != nil && alive(id)}
		if p.all == nil {
			p.all, p.by = map[string]agentProcess{}, map[string][]string{}
		}
		if !tenant { // as those that look for it
			p.by[known.id] = append(p.by[known.id], session)
		}
	}
	p.all[session] = known
}

// knows reports whether a process is known of the session's agent.
func (p *processes) knows(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.all[session]
	return known
}

func (p *processes) forget(session string) {
	id := p.all[session].id
	delete(p.all, session)
	if left := slices.DeleteFunc(p.by[id], func(s string) bool { return s == session }); len(left) > 0 {
		p.by[id] = left
	} else {
		delete(p.by, id)
	}
}

// of returns the only open session that the process reported on, "" if there are more, or
// none.
func (p *processes) of(id string, open func(session string) bool) (only string) {
	if id == "" {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, session := range p.by[id] {
		switch {
		case !open(session):
		case only != "":
			return ""
		default:
			only = session
		}
	}
	return only
}

// Gone returns the open sessions whose agents do not run any more, in order. It is to be
// called in intervals in which an agent that ends can report it: an agent is gone if it was
// missing the last time too.
func (e *Engine) Gone() (sessions []string) {
	p := &e.processes
	p.mu.Lock()
	defer p.mu.Unlock()
	for session, known := range p.all {
		if e.State(session) == Ended {
			p.forget(session)
			continue
		}
		alive := e.opt.Alive == nil || e.opt.Alive(known.id)
		if !alive && known.confirmed && known.seen && known.missing {
			sessions = append(sessions, session)
			continue
		}
		known.missing, known.seen = !alive, known.seen || alive
		p.all[session] = known
	}
	slices.Sort(sessions)
	return sessions
}
