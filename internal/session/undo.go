package session

// touched is what an entry was before the transaction.
type touched struct {
	entry *entry
	was   *Session
	state Session // what was pointed to
}

// undo takes one change inside a session's collections back.
type undo struct {
	kind     undoKind
	session  *Session
	call     *Call
	progress Progress
	id       usedID
	at       int
	bytes    int64
	f        func()
	token    bool // the progress token was the call's, or the call was stuck
}

type undoKind uint8

func (u *undo) apply() {
	switch u.kind {
	case undoOpen:
		u.session.take(u.call)
	case undoClose:
		u.session.back(u.call)
		if u.token {
			u.session.tokens[u.call.tokenKey()] = u.call
		}
		u.call.reported = false
	case undoProgress:
		u.call.progress--
		u.call.bytes -= u.bytes
		if u.at < 0 {
			u.call.Progress = u.call.Progress[:len(u.call.Progress)-1]
		} else {
			u.call.Progress[u.at] = u.progress
		}
	case undoFunc:
		u.f()
	case undoStuck:
		u.call.Stuck = u.token
	case undoID:
		u.session.used.Ring[u.at] = u.id
	}
}

// back puts a call back that was taken.
func (s *Session) back(c *Call) {
	if c.parked.kind != 0 {
		s.parked[c.parked] = c
	} else {
		s.calls[c.key()] = c
	}
}

// put adds an open call.
func (s *Session) put(c *Call) {
	if s.calls == nil {
		s.calls = map[callKey]*Call{}
	}
	s.calls[c.key()] = c
	if c.Token == "" {
		return
	}
	if s.tokens == nil {
		s.tokens = map[callKey]*Call{}
	}
	if s.tokens[c.tokenKey()] == nil { // else it is not unique, and stays with who had it
		s.tokens[c.tokenKey()] = c
	}
}

// take removes an open call and tells whether its progress token was its own.
func (s *Session) take(c *Call) (token bool) {
	if c.parked.kind != 0 {
		delete(s.parked, c.parked)
	} else {
		delete(s.calls, c.key())
	}
	if token = c.Token != "" && s.tokens[c.tokenKey()] == c; token {
		delete(s.tokens, c.tokenKey())
	}
	return token
}
