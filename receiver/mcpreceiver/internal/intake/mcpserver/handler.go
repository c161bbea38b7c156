package mcpserver

import (
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	intakebody "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// Path is where the server is.
const Path = "/mcp"

// Options are all needed.
type Options struct {
	Version     string        // of the server, as it tells clients
	MaxSessions int           // open ones; one more ends the longest unused
	IdleTimeout time.Duration // silence after which a session is over
}

// Register adds the server to mux. It starts no goroutine that outlives a
// request.
func Register(mux *http.ServeMux, runner *intake.Runner, o Options) {
	mux.Handle(Path, newHandler(runner, o))
}

// handler stands before the SDK. It is safe for concurrent use.
type handler struct {
	runner   *intake.Runner
	sessions *ledger
	sdk      http.Handler
}

func newHandler(runner *intake.Runner, o Options) *handler {
	server := newServer(o.Version)
	return &handler{
		runner:   runner,
		sessions: newLedger(o.MaxSessions, o.IdleTimeout, runner.Engine.State),
		sdk: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // the guard before all endpoints knows where we listen
		}),
	}
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		if f := h.post(w, r); f != nil {
			h.runner.Rejected(r.Context(), Path, f.reason(), 1)
			f.write(w)
		}
	case http.MethodDelete:
		h.delete(w, r)
	default: // the server has nothing to say on its own, so GET opens no stream
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "send messages with POST: this server opens no streams", http.StatusMethodNotAllowed)
	}
}

// post takes and answers messages; what it returns is still to be written.
func (h *handler) post(w http.ResponseWriter, r *http.Request) *failure {
	if !isJSON(r.Header.Get("Content-Type")) {
		return fail(http.StatusUnsupportedMediaType, codeInvalidRequest, "set Content-Type to application/json")
	}
	a, err := saidBy(r)
	if err != nil {
		return fail(http.StatusBadRequest, codeInvalidRequest, err.Error())
	}
	text, err := intakebody.Read(r, h.runner.Bodies, h.runner.BodyBytes)
	if err != nil {
		return unread(w, err)
	}
	defer text.Release() // the SDK may keep what it read
	b, f := parse(text.Bytes())
	if f != nil {
		return f
	}
	if f = h.admit(&a, b); f != nil {
		return f
	}
	switch {
	case len(b.requests) == 0:
		_ = h.consume(r.Context(), &a, b) // counted: fire and forget
		w.WriteHeader(http.StatusAccepted)
	case b.initializes():
		h.initialize(w, r, &a, b)
	default:
		h.answer(w, r, &a, b)
	}
	return nil
}

func isJSON(contentType string) bool {
	const want = "application/json"
	if contentType == want {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == want
}

// admit holds the body against the protocol's revision, and the session against
// those that are open.
func (h *handler) admit(a *said, b *body) *failure {
	if a.version != "" && !a.stateless() && !slices.Contains(mcp.SupportedProtocolVersions(), a.version) {
		return fail(http.StatusBadRequest, codeInvalidRequest, "this MCP-Protocol-Version is not supported")
	}
	if b.batch && a.version > "2025-03-26" {
		return fail(http.StatusBadRequest, codeInvalidRequest, "batches are not part of this MCP-Protocol-Version")
	}
	for _, m := range b.requests {
		if f := serves(a, m); f != nil {
			return f
		}
	}
	if b.batch && b.initializes() {
		return fail(http.StatusBadRequest, codeInvalidRequest, "initialize is not allowed in a batch")
	}
	return h.enter(a, b)
}

// enter finds out whether the session is open, if the request names one.
func (h *handler) enter(a *said, b *body) *failure {
	switch {
	case b.initializes():
		a.MCPSession = "" // it gets a new one
	case a.MCPSession == "", h.sessions.use(a.MCPSession, h.runner.Engine.Now()):
	case a.stateless():
		a.MCPSession = "" // means nothing there
	default:
		return fail(http.StatusNotFound, codeNoSession, "this session is not open: initialize again")
	}
	return nil
}

// serves is a failure for requests that a server without anything but tools
// does not serve. The SDK answers some of them in plain text.
func serves(a *said, m *jsonrpc.Message) *failure {
	switch m.Method {
	case mcpconv.MethodInitialize, mcpconv.MethodDiscover, mcpconv.MethodPing,
		mcpconv.MethodToolsList, mcpconv.MethodToolsCall:
		return nil
	}
	status := http.StatusOK
	if a.stateless() {
		status = http.StatusNotFound // which that era wants
	}
	f := fail(status, codeNoMethod, "this server serves tools only")
	f.id = m.ID
	return f
}

// initializes reports whether a session is to be opened.
func (b *body) initializes() bool {
	return slices.ContainsFunc(b.requests, func(m *jsonrpc.Message) bool { return m.Method == mcpconv.MethodInitialize })
}

// delete ends a session. A pipeline that cannot take the end now leaves it
// open: the client may try again, else silence ends it.
func (h *handler) delete(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case id == "":
		http.Error(w, "name the session in the header Mcp-Session-Id", http.StatusBadRequest)
	case !h.sessions.use(id, h.runner.Engine.Now()):
		http.Error(w, "this session is not open", http.StatusNotFound)
	case h.close(r, id) != nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "a pipeline cannot take this now: try again later", http.StatusServiceUnavailable)
	default:
		h.sessions.end(id)
		w.WriteHeader(http.StatusNoContent)
	}
}
