package eventsource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// carried is one subscription in a stream.
type carried struct {
	t    *Type
	at   int
	mark map[string]any // what names it in each notification
}

// out is a stream of server-sent events. One that is dead says nothing more and
// stays open.
type out struct {
	w       http.ResponseWriter
	dead    bool
	pending []byte // written by flush, which waits for the reader: without the lock
}

func (o *out) say(format string, args ...any) {
	if o.dead {
		return
	}
	o.pending = fmt.Appendf(o.pending, format, args...)
}

func (o *out) flush() {
	_, _ = o.w.Write(o.pending) // the client is gone if this fails
	o.pending = nil
	_ = http.NewResponseController(o.w).Flush()
}

func (o *out) notify(method string, params map[string]any) {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/events/" + method, "params": params})
	o.say("data: %s\n\n", text)
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, q *request) {
	s.mu.Lock()
	all, f := s.carry(q)
	restarts := s.restarts
	s.mu.Unlock()
	if f != nil {
		answer(w, q.ID, nil, f)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	o := &out{w: w}
	s.open(o, all)
	o.flush()
	beat := time.NewTicker(cmp.Or(s.Heartbeat, 30*time.Second))
	defer beat.Stop()
	for {
		s.mu.Lock()
		changed := s.changed
		s.push(o, all)
		s.mu.Unlock()
		o.flush()
		select {
		case <-changed:
		case <-beat.C:
			s.beat(o, all)
			o.flush()
		case <-restarts:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

// carry reads what a stream is to carry.
func (s *Server) carry(q *request) (all []*carried, f *fault) {
	if s.Generation > 1 {
		t := s.typeOf(q.text("name"))
		switch {
		case q.Params["name"] == nil || q.Params["arguments"] == nil:
			return nil, s.fault("InvalidParams")
		case t == nil:
			return nil, s.fault("NotFound")
		case !slices.Contains(t.Delivery, "push"):
			return nil, s.fault("Unsupported")
		}
		at, gap := s.log.from(q.Params["cursor"])
		mark := map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/subscriptionId": q.ID}}
		return []*carried{{t, at, map[string]any{"mark": mark, "gap": gap}}}, nil
	}
	var entries []map[string]json.RawMessage
	if json.Unmarshal(q.Params["subscriptions"], &entries) != nil {
		return nil, s.fault("InvalidParams")
	}
	for _, one := range entries {
		c := &carried{mark: map[string]any{"mark": map[string]any{"id": one["id"]}, "gap": false}}
		c.t = s.typeOf((&request{Params: one}).text("name"))
		c.at, c.mark["gap"] = s.log.from(one["cursor"])
		all = append(all, c)
	}
	return all, nil
}

func with(mark, more map[string]any) map[string]any {
	m := maps.Clone(mark["mark"].(map[string]any))
	for k, v := range more {
		if own, ok := m[k].(map[string]any); ok { // _meta
			m[k] = merged(own, v)
			continue
		}
		m[k] = v
	}
	return m
}

func merged(own map[string]any, more any) map[string]any {
	all := map[string]any{}
	raw, _ := more.(json.RawMessage)
	_ = json.Unmarshal(raw, &all) // what the test wrote
	maps.Copy(all, own)
	return all
}

func (s *Server) open(o *out, all []*carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range all {
		gap := c.mark["gap"].(bool)
		switch {
		case c.t == nil:
			o.notify("error", with(c.mark, map[string]any{"error": s.fault("NotFound")}))
		case gap && s.Generation == 1:
			o.notify("error", with(c.mark, map[string]any{"error": s.fault("CursorExpired")}))
			c.t = nil
		case s.Generation == 1:
			o.notify("active", with(c.mark, map[string]any{"cursor": cursorAt(c.t, c.at)}))
		default:
			o.notify("active", with(c.mark, map[string]any{"cursor": cursorAt(c.t, c.at), "truncated": gap}))
		}
	}
}

func (s *Server) push(o *out, all []*carried) {
	for _, c := range all {
		if c.t == nil {
			continue
		}
		for _, e := range s.log.after(c.t.Name, c.at) {
			what := s.Faults.deliver("push")
			if what == "silent" {
				o.dead = true
			}
			o.notify("event", with(c.mark, body(&e, c.t, nil)))
			if what == "twice" {
				o.notify("event", with(c.mark, body(&e, c.t, nil)))
			}
			if !o.dead {
				c.at = e.position
			}
		}
	}
}

func (s *Server) beat(o *out, all []*carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Generation == 1 {
		o.say(": keepalive\n\n")
		return
	}
	for _, c := range all {
		o.notify("heartbeat", with(c.mark, map[string]any{"cursor": cursorAt(c.t, c.at)}))
	}
}

// tellOfList says when the list of events has changed.
func (s *Server) tellOfList(w http.ResponseWriter, r *http.Request, id string) {
	w.Header().Set("Content-Type", "text/event-stream")
	o := &out{w: w}
	o.say(": hello\n\n")
	if id != "" {
		o.say("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}\n\n", id)
	}
	s.mu.Lock()
	s.init()
	known := fmt.Sprint(s.Types)
	s.mu.Unlock()
	for {
		s.mu.Lock()
		changed, restarts, now := s.changed, s.restarts, fmt.Sprint(s.Types)
		s.mu.Unlock()
		if now != known {
			known = now
			o.notify("list_changed", map[string]any{})
		}
		o.flush()
		select {
		case <-changed:
		case <-restarts:
			return
		case <-r.Context().Done():
			return
		}
	}
}
