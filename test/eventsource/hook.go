package eventsource

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hook is a subscription by webhook.
type hook struct {
	id, url string
	t       *Type
	at      int // behind which nothing was accepted yet
	old     string
	secret  string
	stop    chan struct{}
}

type target struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

func (s *Server) subscribe(q *request) (map[string]any, *fault) {
	var d target
	t := s.typeOf(q.text("name"))
	given := "arguments"
	if s.Generation == 1 {
		given = "id"
	}
	switch {
	case q.Params[given] == nil || json.Unmarshal(q.Params["delivery"], &d) != nil || s.Generation > 1 && d.Secret == "":
		return nil, s.fault("InvalidParams")
	case t == nil:
		return nil, s.fault("NotFound")
	case !slices.Contains(t.Delivery, "webhook"):
		return nil, s.fault("Unsupported")
	}
	id := q.text("id")
	if s.Generation > 1 {
		sum := sha256.Sum256([]byte(d.URL + t.Name + string(q.Params["arguments"])))
		id = "sub_" + hex.EncodeToString(sum[:5])
	}
	result := map[string]any{"id": id, "refreshBefore": time.Now().Add(cmp.Or(s.Grant, time.Hour)).UTC().Format(time.RFC3339Nano)}
	h := s.hooks[id]
	switch {
	case h == nil:
		from, gap := s.log.from(q.Params["cursor"])
		if gap && s.Generation == 1 {
			return nil, s.fault("CursorExpired")
		}
		if s.Challenge && s.Generation > 1 && !s.verify(id, d) {
			return nil, s.fault("CallbackEndpointError")
		}
		if before := s.hooks[id]; before != nil { // asked for again while the URL was verified
			close(before.stop)
		}
		h = &hook{id: id, url: d.URL, t: t, at: from, secret: d.Secret, stop: make(chan struct{})}
		if s.Generation == 1 && d.Secret == "" {
			h.secret = "server-secret-" + strconv.Itoa(s.epoch) + "-" + id
			result["secret"] = h.secret
		}
		result["truncated"] = gap
		s.hooks[id] = h
		go s.send(h)
	case d.Secret != "" && d.Secret != h.secret:
		h.old, h.secret = h.secret, d.Secret
	case s.Generation == 1 && d.Secret == "" && h.old != "":
		result["secret"] = h.secret
	}
	if s.Generation > 1 {
		result["cursor"] = cursorAt(t, h.at)
	}
	return s.complete(result), nil
}

// Rotate gives every subscription of G1 a new secret, which the next refresh
// tells; until then deliveries are signed with both.
func (s *Server) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hooks {
		h.old, h.secret = h.secret, "rotated-"+h.secret
	}
}

func (s *Server) unsubscribe(q *request) (map[string]any, *fault) {
	for id, h := range s.hooks {
		if s.Generation == 1 && q.text("id") == id || s.Generation > 1 && q.text("name") == h.t.Name {
			close(h.stop)
			delete(s.hooks, id)
		}
	}
	return s.complete(map[string]any{}), nil
}

// Terminate ends all webhook subscriptions and tells them.
func (s *Server) Terminate() {
	s.mu.Lock()
	hooks := s.hooks
	s.hooks = map[string]*hook{}
	s.mu.Unlock()
	for _, h := range hooks {
		close(h.stop)
		s.post(h, "msg_terminated_1", map[string]any{"type": "terminated", "error": s.fault("NotFound")}, "")
	}
}

// verify asks the URL for a nonce. Meanwhile the server is not locked; one that is
// restarted meanwhile answers nothing.
func (s *Server) verify(id string, d target) bool {
	epoch := s.epoch
	h := &hook{id: id, url: d.URL, secret: d.Secret}
	s.mu.Unlock()
	status, text := s.post(h, "msg_verification_1", map[string]any{"type": "verification", "challenge": "nonce-1"}, "")
	s.mu.Lock()
	if s.epoch != epoch {
		panic(http.ErrAbortHandler)
	}
	return status/100 == 2 && strings.Contains(text, "nonce-1")
}

// send delivers in order, each until it is accepted. A cursor goes along behind
// which all is accepted (G2, G3) or that is the event's own (G1).
func (s *Server) send(h *hook) {
	for {
		s.mu.Lock()
		changed := s.changed
		waiting := s.log.after(h.t.Name, h.at)
		s.mu.Unlock()
		if len(waiting) == 0 {
			select {
			case <-changed:
				continue
			case <-h.stop:
				return
			}
		}
		s.reorder(waiting)
		for i := range waiting {
			if !s.deliverUntilTaken(h, &waiting[i]) {
				return
			}
		}
		s.mu.Lock()
		for i := range waiting {
			h.at = max(h.at, waiting[i].position)
		}
		s.mu.Unlock()
	}
}

func (s *Server) reorder(events []Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(events); i++ {
		if s.Faults.deliver("webhook") == "late" {
			events[i-1], events[i] = events[i], events[i-1]
		}
	}
}

func (s *Server) deliverUntilTaken(h *hook, e *Event) bool {
	for {
		s.mu.Lock()
		extra := map[string]any{"cursor": cursorAt(h.t, h.at)}
		if s.Generation == 1 {
			extra = map[string]any{"id": h.id}
		}
		message := body(e, h.t, extra)
		what := s.Faults.deliver("webhook")
		s.mu.Unlock()
		status, _ := s.post(h, e.ID, message, what)
		if status/100 == 2 && what == "twice" {
			s.post(h, e.ID, message, "")
		}
		if status/100 == 2 || status == http.StatusGone {
			return true
		}
		retry := time.NewTimer(max(s.Retry, 10*time.Millisecond))
		select {
		case <-h.stop:
			retry.Stop()
			return false
		case <-retry.C:
		}
	}
}

// post delivers once. The status is 0 when there was no answer, or it was lost.
func (s *Server) post(h *hook, id string, body map[string]any, what string) (int, string) {
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(text)) //nolint:noctx // a fake
	if err != nil {
		return 0, ""
	}
	at := time.Now()
	if what == "skewed" {
		at = at.Add(-6 * time.Minute)
	}
	s.mu.Lock()
	secret, old := h.secret, h.old
	s.mu.Unlock()
	if what == "forged" {
		secret, old = "whsec_AAAA", ""
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-MCP-Subscription-Id", h.id)
	sign(s.Generation, request.Header, id, at, text, secret, old)
	client := s.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if what == "unheard" {
		return 0, ""
	}
	return response.StatusCode, string(answer)
}
