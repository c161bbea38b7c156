package model

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request: an agent sends its whole history.
const maxBody = 32 << 20

// Server answers agents. It is safe for concurrent use.
type Server struct {
	// URL is where agents find it, without a path.
	URL string

	server *http.Server
	served chan error

	mu      sync.Mutex
	scripts []Script
	next    map[string]int // by marker: the turn to give out
	count   int            // answers so far
	answers []Answer
	offered []string // tools of the last request that had some
	strange []string // requests that no interface has
	summary time.Duration
	log     io.Writer
}

// Start serves the scripts at address, which must be one of loopback.
func Start(address string, scripts ...Script) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("model server: %s is not a loopback address", host)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), scripts: scripts, next: map[string]int{}, served: make(chan error, 1),
	}
	s.server = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// Close ends the server and what it still answers.
func (s *Server) Close() error {
	err := s.server.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// LogTo writes each request's body as a line to w. Call it before the first request.
func (s *Server) LogTo(w io.Writer) { s.log = w }

// SlowSummary lets each summary of a conversation take that long. Call it before the first
// request.
func (s *Server) SlowSummary(d time.Duration) { s.summary = d }

// Answers is all that was given out so far, in its order.
func (s *Server) Answers() []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

// Offered is the names of the tools that the last request with tools had.
func (s *Server) Offered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offered)
}

// Strange is the method and path of each request that no interface has.
func (s *Server) Strange() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strange)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", handle(s, readMessages, writeMessages))
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	mux.HandleFunc("POST /v1/responses", handle(s, readResponses, writeResponses))
	mux.HandleFunc("POST /v1/chat/completions", handle(s, readChat, writeChat))
	mux.HandleFunc("POST /v1beta/models/{call}", handle(s, readGemini, writeGemini))
	mux.HandleFunc("GET /v1/models", listModels)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.strange = append(s.strange, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		http.Error(w, `{"error":{"type":"not_found_error","message":"no such path"}}`, http.StatusNotFound)
	})
	return mux
}

func listModels(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}})
}

func countTokens(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 100})
}

type (
	readFunc  func(r *http.Request, body []byte) (request, error)
	writeFunc func(w http.ResponseWriter, r request, t Turn, a Answer)
)

// handle answers one interface: it reads the request, decides on the turn, and
// writes it as the interface has it.
func handle(s *Server, read readFunc, write writeFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q, err := read(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q.body = body
		turn, answer, err := s.decide(r.URL.Path, q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if !think(r, turn.After) {
			s.mark(answer.ID, func(a *Answer) { a.Unanswered = true })
			return
		}
		w.Header().Set("request-id", answer.RequestID)
		w.Header().Set("x-request-id", answer.RequestID)
		write(w, q, turn, answer)
		s.mark(answer.ID, func(a *Answer) { a.Sent = time.Now() })
	}
}

// mark changes what is noted of an answer.
func (s *Server) mark(id string, change func(*Answer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.answers {
		if s.answers[i].ID == id {
			change(&s.answers[i])
		}
	}
}

// think waits, and reports whether the client does so too.
func think(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// decide finds the turn for a request and records it.
func (s *Server) decide(path string, q request) (Turn, Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	face := interfaceOf(path)
	turn, answer := s.turn(q)
	answer.Interface, answer.Model = face, q.model
	answer.ID, answer.RequestID = fmt.Sprintf("resp_%04d", s.count), fmt.Sprintf("req_%04d", s.count)
	answer.Status = http.StatusOK
	if s.log != nil {
		fmt.Fprintf(s.log, "%d %s turn=%d marker=%q tools=%d %s\n", s.count, path, answer.Turn, answer.Marker, len(q.tools), q.body)
	}
	if len(q.tools) > 0 {
		s.offered = q.tools
	}
	if turn.Fail != 0 {
		answer.Status = turn.Fail
		s.answers = append(s.answers, answer)
		return turn, answer, nil
	}
	answer.Usage = turn.Usage
	if answer.Usage == (Usage{}) {
		answer.Usage = usageOf(int64(s.count), q)
	}
	for i, c := range turn.Calls {
		issued, err := issue(c, q, callPrefix[face], s.count, i)
		if err != nil {
			return turn, answer, err
		}
		answer.Calls = append(answer.Calls, issued)
	}
	s.answers = append(s.answers, answer)
	return turn, answer, nil
}

// callPrefix begins the id of a tool call, as the vendors have it.
var callPrefix = map[Interface]string{Messages: "toolu_01", Responses: "call_", Chat: "call_", Gemini: "fc_"}

func interfaceOf(path string) Interface {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return Messages
	case strings.HasSuffix(path, "/responses"):
		return Responses
	case strings.HasSuffix(path, "/completions"):
		return Chat
	default:
		return Gemini
	}
}

// turn finds the next turn of the conversation that a request belongs to.
func (s *Server) turn(q request) (Turn, Answer) {
	if compacts(q) {
		return Turn{After: s.summary, Text: "<summary>The user asked for a few tool calls. All were made.</summary>"}, Answer{Turn: -1, Marker: "summary"}
	}
	if len(q.tools) > 0 {
		for _, script := range s.scripts {
			if slices.ContainsFunc(q.users, func(text string) bool { return strings.Contains(text, script.Marker) }) {
				n := s.next[script.Marker]
				s.next[script.Marker]++
				if n < len(script.Turns) {
					return script.Turns[n], Answer{Turn: n, Marker: script.Marker}
				}
				return Turn{Text: "All done."}, Answer{Turn: n, Marker: script.Marker}
			}
		}
	}
	return Turn{Text: sideText(q)}, Answer{Turn: -1}
}

// compacts reports whether a request asks for the summary of a conversation.
func compacts(q request) bool {
	if len(q.users) == 0 {
		return false
	}
	last := q.users[len(q.users)-1]
	return strings.Contains(last, "create a detailed summary") || strings.Contains(last, "CONTEXT CHECKPOINT COMPACTION") ||
		strings.Contains(last, "state_snapshot") || strings.Contains(q.system, "state_snapshot")
}

// sideText answers what agents ask besides: a title, a topic, who speaks next.
func sideText(q request) string {
	if q.schema {
		return `{"title":"Scripted session","isNewTopic":false,"next_speaker":"user","reasoning":"done","model_choice":"flash"}`
	}
	return "Scripted session"
}
