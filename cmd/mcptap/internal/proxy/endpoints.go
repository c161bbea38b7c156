package proxy

import (
	"net/url"
	"strings"
	"sync"
)

// endpointsMax bounds how many are known at a time.
const endpointsMax = 10_000

// endpoints are those that servers of the older transport have named, each for
// as long as the stream is open that named it. The zero value is ready.
type endpoints struct {
	mu       sync.Mutex
	sessions map[string]string // by path and query
}

// add is the session of a new endpoint.
func (e *endpoints) add(u *url.URL) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	session := sessionIn(u)
	if e.sessions == nil {
		e.sessions = map[string]string{}
	}
	if len(e.sessions) < endpointsMax {
		e.sessions[u.RequestURI()] = session
	}
	return session
}

// of is the session whose messages are posted to u, "" if there is none.
func (e *endpoints) of(u *url.URL) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[u.RequestURI()]
}

func (e *endpoints) remove(u *url.URL) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, u.RequestURI())
}

// sessionIn is the session that the query names, as most servers have it, or
// all of path and query, which is then what tells sessions apart.
func sessionIn(u *url.URL) string {
	for name, values := range u.Query() {
		if strings.EqualFold(strings.ReplaceAll(name, "_", ""), "sessionid") && values[0] != "" {
			return values[0]
		}
	}
	return u.RequestURI()
}
