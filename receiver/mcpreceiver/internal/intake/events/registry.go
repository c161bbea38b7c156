package events

import (
	"net/http"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// What a registry remembers: subscriptions that ended, and the ids that one
// subscription had, the longest of which is not a server's in good faith.
const (
	endedMax = 1000
	idsMax   = 4
	idBytes  = 1024
)

// Secret is for deliveries of subscriptions that another client made.
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
	secrets []signingKey
}

// NewRegistry makes a registry that knows the secrets of others' subscriptions.
func NewRegistry(others []Secret) *Registry {
	ended, _ := simplelru.NewLRU[string, *entry](endedMax, nil) // fails for sizes below 1
	r := &Registry{bound: map[string][]*entry{}, waiting: map[*entry]bool{}, ended: ended}
	for _, o := range others {
		r.foreign = append(r.foreign, foreign{o, []signingKey{newSigningKey(o.Secret, o.Encoding)}})
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

// standing relates a delivery to what is known.
type standing uint8

const (
	unknown standing = iota // of a subscription not known, or not yet
	unsigned
	own       // of a subscription of ours
	others    // of a subscription that another client made
	over      // of one that ended
	tentative // of one whose id is not known yet
)

// find looks up the subscription of a delivery, and checks its signature.
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
			if verifyAny(f.secrets, h, body) {
				return others, nil, &f.Secret
			}
			how = unsigned
		}
	}
	for _, e := range bound {
		if verifyAny(e.current(), h, body) {
			return own, e, nil
		}
	}
	for _, e := range waiting { // before the ended: an id may come again
		if verifyAny(e.current(), h, body) {
			return tentative, e, nil
		}
	}
	switch {
	case ended != nil && verifyAny(ended.current(), h, body):
		return over, nil, nil
	case ended != nil || len(bound) > 0:
		return unsigned, nil, nil
	case len(waiting) > 0:
		return unknown, nil, nil
	}
	return how, nil, nil
}
