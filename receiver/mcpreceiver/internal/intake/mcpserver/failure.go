package mcpserver

import (
	"encoding/json"
	"net/http"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// Error codes of JSON-RPC 2.0, and the one that MCP's SDKs give for a session
// that is not known.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeNoSession      = -32001
)

// failure is the answer to a POST that is not served.
type failure struct {
	status int
	code   int
	text   string
	id     event.JSON // of the request, "" if it is not known

	counted string // the reason it is counted under, "" for that of the status
}

func fail(status, code int, text string) *failure {
	return &failure{status: status, code: code, text: text}
}

// write answers as JSON-RPC wants it. It never repeats what was sent.
func (f *failure) write(w http.ResponseWriter) {
	id := json.RawMessage("null")
	if f.id != "" {
		id = json.RawMessage(f.id)
	}
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(struct { // the client is gone if this fails
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{f.code, f.text}})
}

// reason is the failure in the form in which it is counted.
func (f *failure) reason() string {
	if f.counted != "" {
		return f.counted
	}
	switch f.status {
	case http.StatusNotFound:
		if f.code == codeNoSession {
			return "unknown session"
		}
		return "unknown method"
	case http.StatusRequestEntityTooLarge:
		return "body"
	case http.StatusUnsupportedMediaType:
		return "content type"
	}
	if f.code == codeNoMethod {
		return "unknown method"
	}
	return "malformed"
}
