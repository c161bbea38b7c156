package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// inspector is not an mcp-agent Inspector, since none was ever released. It
// reports the sessions that it runs to those who listen at the time, and lists
// all of them.
type inspector struct {
	*httptest.Server

	mu        sync.Mutex
	listeners map[chan string]bool
	rows      []*inspected
	next      int // event id
}

// inspected is a session in the list of sessions.
type inspected struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Engine    string `json:"engine"`
	StartedAt string `json:"started_at"`
	EndedAt   string `json:"ended_at,omitempty"`
}

func startInspector(t *testing.T) *inspector {
	t.Helper()
	i := &inspector{listeners: map[chan string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_inspector/events", i.events)
	mux.HandleFunc("GET /_inspector/sessions", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{"sessions": i.rows})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		i.CloseClientConnections()
		i.Close()
	})
	return i
}

func (i *inspector) events(w http.ResponseWriter, r *http.Request) {
	frames := make(chan string, 1000)
	i.mu.Lock()
	i.listeners[frames] = true
	i.mu.Unlock()
	defer func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.listeners, frames)
	}()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	text := `data: {"type": "Connected", "message": "Connected to Inspector event stream"}` + "\n\n"
	for {
		if _, err := fmt.Fprint(w, text); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case text = <-frames:
		case <-r.Context().Done():
			return
		}
	}
}

// tell sends an event to whoever listens. It is called with the server locked.
func (i *inspector) tell(event map[string]any) {
	i.next++
	event["event_id"] = i.next
	text, _ := json.Marshal(event)
	for frames := range i.listeners {
		select {
		case frames <- fmt.Sprintf("id: %d\ndata: %s\n\n", i.next, text):
		default: // it does not read
		}
	}
}

func (i *inspector) begin(session string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now().UTC().Format(time.RFC3339Nano)
	i.rows = append(i.rows, &inspected{ID: session, Status: "running", Engine: "asyncio", StartedAt: now})
	i.tell(map[string]any{"type": "SessionStarted", "session_id": session, "engine": "asyncio", "start_time": now, "timestamp": now})
}

func (i *inspector) finish(session string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, row := range i.rows {
		if row.ID == session {
			row.Status, row.EndedAt = "completed", now
		}
	}
	i.tell(map[string]any{"type": "SessionFinished", "session_id": session, "status": "completed", "end_time": now, "timestamp": now})
}
