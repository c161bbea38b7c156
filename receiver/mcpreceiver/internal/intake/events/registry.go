package events

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// What a registry remembers: subscriptions that ended, and the ids that one
// subscription had, the longest of which is not a server's in good faith.
const (
	endedMax = 1000
	idsMax   = 4
	idBytes  = 1024
)

// Secret is for deliveries of subscriptions that somebody else made.
type Secret struct {
	Subscription string // "" for any
	Endpoint     string // of the server, as it is to be called in telemetry
	Secret       string
	Encoding     Encoding
}

// Registry finds the subscription and the secret of a webhook delivery. It is
// safe for concurrent use.
type Registry struct {
	foreign []foreign

	mu      sync.Mutex
	bound   map[string][]*entry // servers of one make derive the same id of the same subscription
	waiting map[*entry]bool     // whose ids are not known yet
	ended   *simplelru.LRU[string, *entry]
}

type foreign struct {
	Secret
	secrets []secret
}

// entry is a subscription by webhook.
type entry struct {
	s    *subscription
	over chan struct{} // closed when the server ended it
	ids  []string      // that it is bound to, the oldest first; under the registry's lock

	mu      sync.Mutex
	secrets []dated // the newest first
	made    string  // that we made up, and servers of G1 do not sign with
	closed  bool
	doubted bool // a secret that a server made may have been told in an answer that was lost
}

// dated is a secret that was replaced, or is not yet (zero time).
type dated struct {
	secret
	until time.Time
}

// NewRegistry makes a registry that knows the secrets of others' subscriptions.
func NewRegistry(others []Secret) *Registry {
	ended, _ := simplelru.NewLRU[string, *entry](endedMax, nil) // fails for sizes below 1
	r := &Registry{bound: map[string][]*entry{}, waiting: map[*entry]bool{}, ended: ended}
	for _, o := range others {
		r.foreign = append(r.foreign, foreign{o, []secret{newSecret(o.Secret, o.Encoding)}})
	}
	return r
}

// expect makes an entry's secrets good for the challenge that comes before its id
// is known.
func (r *Registry) expect(e *entry, yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if yes {
		r.waiting[e] = true
	} else {
		delete(r.waiting, e)
	}
}

func (r *Registry) bind(id string, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended.Remove(id)
	if slices.Contains(e.ids, id) {
		return
	}
	r.bound[id] = append(r.bound[id], e)
	if e.ids = append(e.ids, id); len(e.ids) > idsMax {
		r.unbind(e.ids[0], e)
		e.ids = slices.Clone(e.ids[1:])
	}
}

// unbind parts an id and an entry; the caller holds the lock.
func (r *Registry) unbind(id string, e *entry) {
	r.bound[id] = slices.DeleteFunc(r.bound[id], func(other *entry) bool { return other == e })
	if len(r.bound[id]) == 0 {
		delete(r.bound, id)
	}
}

// end keeps the entry's id as one that is over.
func (r *Registry) end(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range e.ids {
		r.unbind(id, e)
		r.ended.Add(id, e)
	}
	e.ids = nil
}

// standing is how a delivery stands to what is known.
type standing uint8

const (
	unknown standing = iota // of a subscription not known, or not yet
	unsigned
	own       // of a subscription of ours
	others    // of a subscription that somebody else made
	over      // of one that ended
	tentative // of one whose id is not known yet
)

// find looks up who a delivery is for, and checks its signature.
func (r *Registry) find(h http.Header, body []byte) (standing, *entry, *Secret) {
	id := h.Get(headerSubscription)
	r.mu.Lock()
	bound := slices.Clone(r.bound[id])
	ended, _ := r.ended.Get(id)
	var waiting []*entry
	for e := range r.waiting {
		waiting = append(waiting, e)
	}
	r.mu.Unlock()
	how := unknown
	for i := range r.foreign {
		if f := &r.foreign[i]; f.Subscription == id || f.Subscription == "" && len(bound) == 0 && ended == nil {
			if anySigned(f.secrets, h, body) {
				return others, nil, &f.Secret
			}
			how = unsigned
		}
	}
	for _, e := range bound {
		if anySigned(e.current(), h, body) {
			return own, e, nil
		}
	}
	for _, e := range waiting { // before the ended: an id may come again
		if anySigned(e.current(), h, body) {
			return tentative, e, nil
		}
	}
	switch {
	case ended != nil && anySigned(ended.current(), h, body):
		return over, nil, nil
	case ended != nil || len(bound) > 0:
		return unsigned, nil, nil
	case len(waiting) > 0:
		return unknown, nil, nil
	}
	return how, nil, nil
}

// use makes a secret the newest; the one before is good for a while longer, since
// deliveries are under way that were signed with it.
func (e *entry) use(text string, encoding Encoding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.secrets) > 0 {
		if e.secrets[0].text == text {
			return
		}
		e.secrets[0].until = time.Now().Add(graceTime)
		e.secrets = e.secrets[:min(len(e.secrets), 3)]
	}
	e.secrets = append([]dated{{secret: newSecret(text, encoding)}}, e.secrets...)
}

// makeUp makes a secret unless there is one.
func (e *entry) makeUp(encoding Encoding) {
	if e.newest() == "" {
		e.made = madeUp()
		e.use(e.made, encoding)
	}
}

// doubt notes that a secret may have been missed, if it may.
func (e *entry) doubt(missed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.doubted = e.doubted || missed
}

// doubtful tells once that a secret may have been missed.
func (e *entry) doubtful() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.doubted
	e.doubted = false
	return was
}

// told tells whether there is a secret that the server knows and signs with.
func (e *entry) told() bool {
	newest := e.newest()
	return newest != "" && (newest != e.made || e.s.src.speaks() != G1)
}

// newest is the text of the secret in use, "" if there is none.
func (e *entry) newest() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.secrets) == 0 {
		return ""
	}
	return e.secrets[0].text
}

func (e *entry) current() (good []secret) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.secrets {
		if d.until.IsZero() || time.Now().Before(d.until) {
			good = append(good, d.secret)
		}
	}
	return good
}

// terminate says once that the server ended the subscription.
func (e *entry) terminate() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		close(e.over)
	}
}
