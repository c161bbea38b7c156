package inspectorexporter

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// gateway serves openapi.yaml.
type gateway struct {
	*shown
	log      *zap.Logger
	started  time.Time
	stopped  <-chan struct{} // closed when event streams must end
	restored *atomic.Bool    // all sessions of earlier runs are there
	version  string
	traceURL string
}

func (g *gateway) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_inspector/health", g.health)
	mux.HandleFunc("GET /_inspector/sessions", g.listSessions)
	mux.HandleFunc("GET /_inspector/sessions/totals", g.showTotals)
	mux.HandleFunc("GET /_inspector/sessions/{session_id}", g.oneSession)
	mux.HandleFunc("GET /_inspector/sessions/{session_id}/export", g.export)
	mux.HandleFunc("GET /_inspector/streams", g.listStreams)
	mux.HandleFunc("GET /_inspector/trace/{session_id}", g.trace)
	mux.HandleFunc("GET /_inspector/events", g.stream)
	mux.Handle("GET /_inspector/ui", webUI())
	mux.Handle("GET /_inspector/ui/", webUI())
	mux.Handle("GET /{$}", http.RedirectHandler("/_inspector/ui", http.StatusFound))
	for _, control := range []string{"signal", "cancel"} {
		mux.HandleFunc("/_inspector/"+control+"/", readOnly("this gateway is read-only and cannot signal or cancel a session: ask the Inspector of the application that runs it"))
	}
	mux.HandleFunc("/", readOnly("this gateway is read-only: use GET"))
	return mux
}

// readOnly answers what no other handler does.
func readOnly(why string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, why)
			return
		}
		refuse(w, http.StatusNotFound, "there is nothing here: the web UI is at /_inspector/ui")
	}
}

// webUIPolicy lets the web UI load what this server has, and nothing else.
const webUIPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure sets what keeps browsers from taking payloads for something to run.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", webUIPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// refuse answers with the schema Error.
func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]string{"error": why})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // nothing that is answered can fail
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client has gone
}

// health is the schema Health.
func (g *gateway) health(w http.ResponseWriter, _ *http.Request) {
	disk := map[string]any{"ok": true, "restoring": !g.restored.Load()}
	if err := g.store.Err(); err != nil {
		disk["ok"], disk["error"] = false, err.Error()
	}
	answer(w, http.StatusOK, map[string]any{
		"name": "otelcol-mcp", "version": g.version, "writer_id": inspectorwire.ProcessWriter(),
		"started_at": sessions.Time(g.started.UnixNano()), "trace_url": g.traceURL, "storage": disk, "sessions": g.board.Len(),
	})
}

// listSessions is a page of sessions.
func (g *gateway) listSessions(w http.ResponseWriter, r *http.Request) {
	q, err := query(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	found, err := g.board.List(q)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	answer(w, http.StatusOK, found)
}

// maxLimit is how many sessions one answer has at most. It is the default, too:
// clients of the reference know no pages.
const maxLimit = 10_000

// Errors of parameters.
var (
	errLimit = fmt.Errorf("limit: a number from 1 to %d", maxLimit)
	errOrder = errors.New("order: newest or attention")
	errState = errors.New("state: " + strings.Join(sessions.States, ", ") + ", with commas between")
	errText  = errors.New("q: at most 200 characters")
)

func query(r *http.Request) (q sessions.Query, err error) {
	v := r.URL.Query()
	q = sessions.Query{Limit: maxLimit, Cursor: v.Get("cursor"), Text: v.Get("q")}
	if text := v.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > maxLimit {
			return q, errLimit
		}
	}
	switch v.Get("order") {
	case "", "newest":
	case "attention":
		q.Attention = true
	default:
		return q, errOrder
	}
	for _, list := range v["state"] {
		for state := range strings.SplitSeq(list, ",") {
			if !slices.Contains(sessions.States, state) {
				return q, errState
			}
			if !slices.Contains(q.States, state) { // each is looked for in all sessions
				q.States = append(q.States, state)
			}
		}
	}
	if utf8.RuneCountInString(q.Text) > 200 {
		return q, errText
	}
	return q, nil
}

// oneSession is the row of a session.
func (g *gateway) oneSession(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session_id")
	if !store.ValidID(id) {
		refuse(w, http.StatusBadRequest, store.ErrID.Error())
		return
	}
	row, ok := g.board.Row(id)
	if !ok {
		refuse(w, http.StatusNotFound, store.ErrMissing.Error())
		return
	}
	answer(w, http.StatusOK, json.RawMessage(row))
}

// listStreams is what belongs to no session.
func (g *gateway) listStreams(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"streams": g.daily.List()})
}
