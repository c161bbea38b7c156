package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// arrived notes a server's connection that is part of an agent's session. Its messages
// get the agent's name and the one that the server said there: the session is of other
// servers too.
func (tx *parts) arrived(s *store.Session, env *event.Envelope, hello *event.Hello) {
	if !env.Part || !s.Open() {
		return
	}
	carry(s, env.Connection)
	if hello != nil && hello.Server.Name != "" {
		name := jsonscan.Cut(hello.Server.Name, peerBytes)
		if s.Redirects[env.Connection] != name {
			tx.store.Route(s, strings.Clone(env.Connection), strings.Clone(name))
		}
	}
	client, _ := s.Names()
	env.Client, env.Server = cmp.Or(client, env.Client), cmp.Or(env.Server, s.Redirects[env.Connection])
}

// closed takes the end of such a connection: of what is open, only what came over it
// ends. The session ends with the last one if nothing but them told of it.
func (tx *parts) closed(ctx context.Context, env *event.Envelope, e *event.Closed) error {
	s, err := tx.sessions.enter(ctx, env, keepAlive)
	if err != nil || s == nil || !s.Open() {
		return err
	}
	tx.store.Route(s, env.Connection, "")
	others := slices.DeleteFunc(slices.Clone(s.Carried), func(c string) bool { return c == env.Connection })
	if len(others) == 0 && s.Agent == nil && !s.IsHost {
		tx.transports.exited(s, env, e)
		return nil
	}
	s.Carried = others
	for _, c := range s.CallsInOrder() {
		if c.Key.Connection != env.Connection || c.OfAgent() {
			continue
		}
		if c.Dropped {
			s.Withdrawn = s.Withdrawn.With(c.OpenKey().Hash(), max(env.Time, 1))
		}
		tx.calls.close(s, c, CallEnd{Time: env.Time, Incomplete: true})
	}
	return nil
}
