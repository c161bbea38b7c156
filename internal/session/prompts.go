package session

import (
	"sync"
	"time"
)

// prompter names the agents that may serve each other's sessions.
type prompter struct {
	tenant, client string
}

// recentPrompts remembers when sessions were prompted last. Agents that talk with themselves
// for a session do not say for which. It is safe for concurrent use.
type recentPrompts struct {
	mu  sync.Mutex
	all map[prompter][]recentPrompt // the newest last
}

type recentPrompt struct {
	session string
	at      int64 // Unix ns
}

// Limits of what is remembered.
const (
	promptsMax   = 64 // of one agent
	promptersMax = 256
)

// add notes that the session was prompted.
func (r *recentPrompts) add(of prompter, session string, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil || len(r.all) >= promptersMax && r.all[of] == nil {
		r.all = map[prompter][]recentPrompt{}
	}
	all := r.all[of]
	if len(all) == promptsMax {
		all = append(all[:0], all[1:]...)
	}
	r.all[of] = append(all, recentPrompt{session, at})
}

// before returns the only session that was prompted just before that time, "" if there are
// more or none.
func (r *recentPrompts) before(of prompter, at int64) (session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.all[of] {
		switch {
		case p.at > at || at-p.at > int64(serveWithin):
		case session != "" && session != p.session:
			return ""
		default:
			session = p.session
		}
	}
	return session
}

// serveWithin is the time after a prompt in which an agent begins to serve its session.
const serveWithin = time.Duration(resolution)
