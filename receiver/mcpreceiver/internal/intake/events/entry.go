package events

import (
	"sync"
	"time"
)

// entry is a subscription by webhook.
type entry struct {
	s    *subscription
	over chan struct{} // closed when the server ended it
	ids  []string      // that it is bound to, the oldest first; under the registry's lock

	mu        sync.Mutex
	secrets   []dated // the newest first
	generated string  // by us, which servers of the first draft do not sign with
	closed    bool
	doubted   bool // a secret that a server generated may have been in an answer that was lost
}

// dated is a secret that was replaced, or is not yet (zero time).
type dated struct {
	signingKey
	until time.Time
}

// use makes a secret the newest; the one before is good for a while longer, since
// deliveries are under way that were signed with it.
func (e *entry) use(text string, encoding Encoding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.secrets) > 0 {
		if e.secrets[0].Text() == text {
			return
		}
		e.secrets[0].until = time.Now().Add(graceTime)
		e.secrets = e.secrets[:min(len(e.secrets), 3)]
	}
	e.secrets = append([]dated{{signingKey: newSigningKey(text, encoding)}}, e.secrets...)
}

// generate makes a secret unless there is one.
func (e *entry) generate(encoding Encoding) {
	if e.newest() == "" {
		e.generated = generateSecret()
		e.use(e.generated, encoding)
	}
}

// doubt notes that a secret may have been missed, if it may.
func (e *entry) doubt(missed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.doubted = e.doubted || missed
}

// doubtful reports once that a secret may have been missed.
func (e *entry) doubtful() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.doubted
	e.doubted = false
	return was
}

// agreed reports whether there is a secret that the server knows and signs with.
func (e *entry) agreed() bool {
	newest := e.newest()
	return newest != "" && (newest != e.generated || e.s.src.speaks() != Draft1)
}

// newest is the text of the secret in use, "" if there is none.
func (e *entry) newest() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.secrets) == 0 {
		return ""
	}
	return e.secrets[0].Text()
}

func (e *entry) current() (good []signingKey) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.secrets {
		if d.until.IsZero() || time.Now().Before(d.until) {
			good = append(good, d.signingKey)
		}
	}
	return good
}

// terminate reports once that the server ended the subscription.
func (e *entry) terminate() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		close(e.over)
	}
}
