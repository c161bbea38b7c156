package session

import (
	"strings"

	"github.com/cespare/xxhash/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// callers remembers whose calls of tools have which ids: a message to a server may name
// nothing else of its agent. It is safe for concurrent use.
type callers struct {
	sessions *lru.Cache[uint64, string] // of agents, by the hash of a call's id
	unknown  *lru.Cache[string, uint64] // the last id that a server's session named, of a call that is none's yet
}

// callersMax bounds what is remembered.
const callersMax = 4096

func newCallers() callers {
	sessions, _ := lru.New[uint64, string](callersMax) // fails without a size only
	unknown, _ := lru.New[string, uint64](callersMax)
	return callers{sessions: sessions, unknown: unknown}
}

// add notes that the session has a call with that id.
func (c *callers) add(id event.JSON, session string) {
	if text := id.Str(); text != "" && len(text) <= idBytes {
		c.sessions.Add(xxhash.Sum64String(text), session)
	}
}

// of returns the session of the agent that made the call with that id, or an earlier one of
// that server's session, "" if it is not known.
func (c *callers) of(server string, id event.JSON) string {
	hash, named := c.unknown.Peek(server)
	if text := id.Str(); text != "" && len(text) <= idBytes {
		hash, named = xxhash.Sum64String(text), true
	}
	if !named {
		return ""
	}
	session, ok := c.sessions.Get(hash)
	if !ok && id != "" {
		c.unknown.Add(strings.Clone(server), hash)
	}
	return session
}
