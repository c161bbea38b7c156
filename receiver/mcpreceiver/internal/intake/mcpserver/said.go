package mcpserver

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// statelessSince is the first revision without initialize and sessions.
const statelessSince = "2026-07-28"

// idBytes bounds the ids by which state is found again.
const idBytes = 1024

var errLongSession = errors.New("the session's name is longer than 1024 bytes")

// said holds what a request says about all messages in its body.
type said struct {
	intake.Request
	version string // MCP-Protocol-Version
}

func saidBy(r *http.Request) (said, error) {
	a := said{Request: intake.RequestOf(r, intake.QueryOf(r)), version: r.Header.Get("Mcp-Protocol-Version")}
	if len(a.name()) > idBytes {
		return a, errLongSession
	}
	return a, nil
}

// name returns what names the session where Mcp-Session-Id does not.
func (a *said) name() string { return cmp.Or(a.Session, a.Query) }

// stateless reports whether the request belongs to the era without sessions.
// Revisions are dates, so their order is that of their names.
func (a *said) stateless() bool { return a.version >= statelessSince }
