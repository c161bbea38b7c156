package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// find makes what was seen of a server part of the session of the agent that it works for, if
// an id says which that is: the message names the agent's session or its call, or the
// agent's process started what saw the message. A name is none.
func (tx *parts) find(ctx context.Context, env *event.Envelope, e event.Event) error {
	if env.Connection == "" || env.Session == "" || env.Part || env.ACP || env.Session == env.Host {
		return nil
	}
	known := tx.store.ParentOf(env.Session)
	agent := known
	if c, ok := e.(*event.CallStarted); ok && c.FromClient {
		agent = tx.agentOf(env, c, known)
	}
	if agent == "" {
		agent = tx.processes.of(env.Process, tx.store.IsOpen)
	}
	if agent == "" || agent == env.Session || !tx.store.IsOpen(agent) {
		return nil
	}
	if reply, ok := e.(*event.CallEnded); ok {
		if own, err := tx.answers(ctx, env, reply); own || err != nil {
			return err
		}
	}
	if agent != known {
		if joined, err := tx.join(ctx, env, agent); !joined || err != nil {
			return err
		}
	}
	env.Tapped = env.Session
	env.PartOf(agent)
	return nil
}

// answers reports whether the message replies to a call that is open in the server's own session:
// a stream that it had before it was known whose it is.
func (tx *parts) answers(ctx context.Context, env *event.Envelope, e *event.CallEnded) (bool, error) {
	if !tx.store.IsOpen(env.Session) {
		return false, nil
	}
	entry, err := tx.store.Touch(ctx, store.BySession, env.Session)
	if err != nil || entry.Session() == nil {
		return false, err
	}
	return repliedTo(entry.Session(), env, e) != nil, nil
}

// agentOf returns the open session of the agent that asks a server for something, as far as its
// request and those before it say, else "". known is the one that the server's session is part of.
func (tx *parts) agentOf(env *event.Envelope, c *event.CallStarted, known string) string {
	if thread := c.Thread.Str(); thread != "" && len(thread) <= idBytes {
		thread = cmp.Or(tx.store.ParentOf(thread), thread)
		if tx.store.IsOpen(thread) {
			return thread
		}
	}
	for _, session := range []string{tx.callers.of(env.Session, c.Use), known} {
		if session != "" && tx.store.IsOpen(session) {
			return session
		}
	}
	return ""
}

// join makes the server's session part of the agent's, which counts what was done in it. It
// is false as long as a call is open there, or if the other is not an agent's. A session with
// streams in which nothing was done yet keeps those, and has no row.
func (tx *parts) join(ctx context.Context, env *event.Envelope, agent string) (bool, error) {
	entry, err := tx.store.Touch(ctx, store.BySession, agent)
	if err != nil {
		return false, err
	}
	s := entry.Session()
	if s == nil || !s.Open() || s.Agent == nil {
		return false, nil
	}
	if tx.store.Knows(env.Session) {
		if entry, err = tx.store.Touch(ctx, store.BySession, env.Session); err != nil {
			return false, err
		}
		if own := entry.Session(); own != nil && own.Open() {
			for c := range own.EveryCall {
				if !mcpconv.Stream(c.Method) {
					return false, nil
				}
			}
			if name := own.PeerInfo().Server.Name; name != "" {
				tx.store.Route(s, strings.Clone(env.Connection), name)
			}
			if !own.Unused || own.OpenCalls() == 0 {
				tx.ends.absorb(s, own, "")
			}
		}
	}
	tx.include(s, env.Session, env.Time)
	return true, nil
}

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
