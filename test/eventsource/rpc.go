package eventsource

import (
	"encoding/json"
	"net/http"
	"strconv"
)

type request struct {
	ID     json.RawMessage            `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

func (r *request) text(key string) (s string) {
	_ = json.Unmarshal(r.Params[key], &s) // "" if it is none
	return s
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Numbers of errors by generation.
func (s *Server) fault(what string) *fault {
	codes := map[string][3]int{
		"NotFound": {-32011, -32011, -32023}, "CursorExpired": {-32014, 0, 0},
		"Unsupported": {-32601, -32014, -32026}, "CallbackEndpointError": {-32015, -32015, -32027},
		"InvalidParams": {-32602, -32602, -32602}, "MethodNotFound": {-32601, -32601, -32601},
	}
	return &fault{codes[what][s.Generation-1], what}
}

// ServeHTTP implements http.Handler: the MCP endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.tellOfList(w, r, "")
		return
	}
	var q request
	if r.Method != http.MethodPost || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&q) != nil {
		http.Error(w, "POST JSON-RPC", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	s.init()
	s.Seen[q.Method]++
	what := s.Faults.answer(q.Method)
	epoch := strconv.Itoa(s.epoch)
	s.mu.Unlock()
	switch {
	case what == "busy":
		w.Header().Set("Retry-After", "2")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
	case q.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case s.Generation < 3 && q.Method != "initialize" && q.Method != "server/discover" && r.Header.Get("Mcp-Session-Id") != "epoch-"+epoch:
		http.Error(w, "unknown session", http.StatusNotFound)
	case q.Method == "events/stream":
		s.stream(w, r, &q)
	case q.Method == "subscriptions/listen":
		s.tellOfList(w, r, string(q.ID))
	default:
		result, f := s.carryOut(&q)
		if what == "lost" {
			panic(http.ErrAbortHandler)
		}
		if q.Method == "initialize" {
			w.Header().Set("Mcp-Session-Id", "epoch-"+epoch)
		}
		answer(w, q.ID, result, f)
	}
}

func answer(w http.ResponseWriter, id json.RawMessage, result map[string]any, f *fault) {
	m := map[string]any{"jsonrpc": "2.0", "id": id}
	if f != nil {
		m["error"] = f
	} else {
		m["result"] = result
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m) // the client is gone if this fails
}

func (s *Server) carryOut(q *request) (map[string]any, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	declared := map[string]any{"listChanged": true}
	switch {
	case q.Method == "initialize" && s.Generation < 3:
		return map[string]any{
			"protocolVersion": "2025-11-25", "serverInfo": map[string]any{"name": "fake-events", "version": "1"},
			"capabilities": map[string]any{"events": declared},
		}, nil
	case q.Method == "server/discover" && s.Generation == 3:
		return map[string]any{
			"resultType": "complete", "supportedVersions": []string{"2026-07-28"},
			"_meta":        map[string]any{"io.modelcontextprotocol/serverInfo": map[string]any{"name": "fake-events", "version": "1"}},
			"capabilities": map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/events": declared}},
		}, nil
	case q.Method == "events/list":
		return s.complete(s.list(q)), nil
	case q.Method == "events/poll":
		return s.poll(q)
	case q.Method == "events/subscribe":
		return s.subscribe(q)
	case q.Method == "events/unsubscribe":
		return s.unsubscribe(q)
	}
	return nil, s.fault("MethodNotFound")
}

func (s *Server) complete(result map[string]any) map[string]any {
	if s.Generation == 3 {
		result["resultType"] = "complete"
	}
	return result
}

func (s *Server) list(q *request) map[string]any {
	at, _ := strconv.Atoi(q.text("cursor"))
	end := min(at+max(s.Page, 1), len(s.Types))
	events := []any{}
	for _, t := range s.Types[min(at, end):end] {
		events = append(events, map[string]any{"name": t.Name, "description": t.Description, "delivery": t.Delivery, "inputSchema": map[string]any{}})
	}
	result := map[string]any{"events": events}
	if end < len(s.Types) {
		result["nextCursor"] = strconv.Itoa(end)
	}
	return result
}
