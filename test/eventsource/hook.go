package eventsource

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
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
	result := map[string]any{"id": id, "refreshBefore": time.Now().Add(s.grant()).UTC().Format(time.RFC3339Nano)}
	h := s.hooks[id]
	switch {
	case h == nil:
		from, gap := s.from(q.Params["cursor"])
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

func (s *Server) grant() time.Duration {
	if s.Grant == 0 {
		return time.Hour
	}
	return s.Grant
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
		waiting := s.after(h.t.Name, h.at)
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
	for i := 1; i < len(events); i++ {
		if s.locked("webhook") == "late" {
			events[i-1], events[i] = events[i], events[i-1]
		}
	}
}

func (s *Server) locked(mode string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deliver(mode)
}

func (s *Server) deliverUntilTaken(h *hook, e *Event) bool {
	for {
		s.mu.Lock()
		extra := map[string]any{"cursor": cursorAt(h.t, h.at)}
		if s.Generation == 1 {
			extra = map[string]any{"id": h.id}
		}
		body := s.body(e, h.t, extra)
		what := s.deliver("webhook")
		s.mu.Unlock()
		status, _ := s.post(h, e.ID, body, what)
		if status/100 == 2 && what == "twice" {
			s.post(h, e.ID, body, "")
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
	s.sign(request.Header, id, at, text, secret, old)
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

func (s *Server) sign(h http.Header, id string, at time.Time, body []byte, secret, old string) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, key := range []string{old, secret} {
		switch {
		case key == "":
		case s.Generation == 1:
			mac := hmac.New(sha256.New, []byte(key))
			mac.Write([]byte(stamp + "." + string(body)))
			signatures = append(signatures, "sha256="+hex.EncodeToString(mac.Sum(nil)))
		default:
			raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
			signer, _ := standardwebhooks.NewWebhookRaw(raw)
			signature, _ := signer.Sign(id, at, body)
			signatures = append(signatures, signature)
		}
	}
	if s.Generation == 1 {
		h.Set("X-MCP-Timestamp", stamp)
		h.Set("X-MCP-Signature", strings.Join(signatures, " "))
		return
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
}
