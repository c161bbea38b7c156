package session

// SessionState tells what is known of a session.
type SessionState uint8

// The states of a session. One that is being opened by a transaction that is
// not committed is unknown.
const (
	SessionUnknown SessionState = iota
	SessionOpen
	SessionEnded // or evicted, which ends it soon
)

// SessionState is the state of the session of that name, as of the last commit.
func (t *Tracker) SessionState(name string) SessionState {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.books[bySession][name]
	switch {
	case e == nil || e.life.in == nil:
		return SessionUnknown
	case e.life.in == &t.lru:
		return SessionOpen
	}
	return SessionEnded
}
