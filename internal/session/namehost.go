package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// nameHost names the session of a tapped host by what its client said in the
// session that the message was seen in, unless it has a name. It leaves the other
// session as it is.
func (tx *arrivals) nameHost(ctx context.Context, env *event.Envelope, s *store.Session) error {
	if client, _ := s.Names(); client != "" || env.Host == "" || env.Session != env.Host {
		return nil
	}
	book, name := store.BySession, env.Tapped
	if name == "" {
		book, name = store.ByConnection, env.Connection
	}
	if name == "" {
		return nil
	}
	e, err := tx.store.Touch(ctx, book, name)
	if err != nil || e.Session() == nil || e.Session() == s {
		return err
	}
	tapped := e.Session()
	s.Client = tapped.Client
	if said := tapped.PeerInfo().Client; said.Name != "" {
		own := *s.PeerInfo()
		s.Info = &store.PeerInfo{Client: said, Server: own.Server, Protocol: own.Protocol}
	}
	return nil
}
