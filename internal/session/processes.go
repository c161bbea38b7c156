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

// add notes that the process reported on the session.
func (p *processes) add(session, id string, alive func(string) bool) {
	if alive == nil {
		return
	}
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
		known = agentProcess{id: strings.Clone(id), seen: alive(id)}
	}
	if p.all == nil {
		p.all = map[string]agentProcess{}
	}
	p.all[session] = known
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
			delete(p.all, session)
			continue
		}
		alive := e.opt.Alive(known.id)
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
