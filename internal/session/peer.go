package session

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// peer names whom the call was asked of, as [Sender] names who sends; "" if it is
// unknown, and for the tools of an agent itself.
func peer(s *store.Session, c *store.Call) string {
	client, server := s.Names()
	switch {
	case c.Source == event.ACPUpdate:
		return ""
	case c.Source != event.Wire:
		return c.Server
	case c.Key.FromClient:
		return cmp.Or(c.Server, server)
	}
	return cmp.Or(c.Client, client)
}
