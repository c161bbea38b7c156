package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// effect returns the effect of a message with that method on its session, unless it is
// of a kind that may do less.
func (tx *arrivals) effect(method string) entryEffect {
	if tx.opt.DropMethods[method] {
		return once
	}
	return opens
}

// arrival describes a message of JSON-RPC for finding its session.
type arrival struct {
	effect entryEffect
	call   *event.CallStarted
	reply  *event.CallEnded
	host   bool              // host telemetry
	silent bool              // there is nothing to report of it
	status *event.HostStatus // of a heartbeat, nil if it is none
}

// scope is the session that a message belongs to, and of ACP its connection.
type scope struct {
	s          *store.Session // nil if it is not known and the message does not open it
	connection *store.Session // nil but for ACP
	answered   *store.Call    // by the message, nil if it is no reply to an open call
}

// arrive enters the session of a message, and learns what it says of itself.
func (tx *arrivals) arrive(ctx context.Context, env *event.Envelope, contact *event.Contact, a arrival) (in scope, err error) {
	if env.ACP {
		if in.connection, err = tx.route(ctx, env, contact, a); err != nil {
			return in, err
		}
	}
	if in.s, err = tx.sessions.enter(ctx, env, a.effect); err != nil || in.s == nil {
		return in, err
	}
	s := in.s
	inherit(s, in.connection)
	if a.host {
		backdate(s, env, a.status)
		learnHost(s, env)
		if err = tx.nameHost(ctx, env, s); err != nil {
			return in, err
		}
	}
	learnPeers(s, env, contact.Hello)
	tx.parts.arrived(s, env, contact.Hello)
	joined(s, env)
	if a.reply != nil {
		in.answered = repliedTo(s, env, a.reply)
	}
	if !s.Open() {
		return in, nil
	}
	if a.effect != keepAlive {
		tx.ends.goesOn(s)
	}
	switch {
	case a.host || a.call != nil && a.call.Kind != event.OtherCall && a.call.Kind != event.LogLevelSetting:
		s.Unused = false
	case !s.Announced && mcpconv.AgentOfClient(s.PeerInfo().Client.Name) != "":
		s.Unused = true // an agent connects to its servers when it starts
	}
	if !a.silent || !env.Served || !mcpconv.NamesItsSession(s.PeerInfo().Client.Name) {
		tx.sessions.announce(s)
	}
	switch {
	case a.effect == keepAlive:
	case contact.Method == mcpconv.MethodPing, in.answered != nil && in.answered.Method == mcpconv.MethodPing:
		s.Heard = s.HeardBefore // an SDK sends it by itself: it is no sign of the agent
	default:
		tx.stalls.resume(s, env.Time)
	}
	return in, nil
}

// joined notes by which way messages of the session come: it may be the session of an
// agent that reports on itself too.
func joined(s *store.Session, env *event.Envelope) {
	switch {
	case !s.Open():
	case env.Served:
		s.Ways |= store.FromMCP
	case env.Connection != "":
		s.Ways |= store.FromTap
	default:
		s.Ways |= store.FromPush
	}
}

// route finds the session of a message of the Agent Client Protocol. Requests
// name it and replies do not: the connection remembers which id belongs where,
// and what both sides said of themselves before there was a session.
func (tx *arrivals) route(ctx context.Context, env *event.Envelope, contact *event.Contact, a arrival) (connection *store.Session, err error) {
	if env.Connection == "" || env.Connection == env.Session {
		return nil, nil
	}
	direct := *env
	direct.Session = ""
	if connection, err = tx.sessions.enter(ctx, &direct, opens); err != nil {
		return nil, err
	}
	tx.carrySession(connection, env.Session)
	if env.Session != "" && (contact.Method == mcpconv.MethodInitialize || a.reply != nil && a.reply.Agreed) {
		learnPeers(connection, env, contact.Hello) // who speaks is so of all sessions of the connection
	}
	switch {
	case a.call != nil && env.Session != "":
		key := store.CallKey{Connection: env.Connection, ID: string(a.call.ID), FromClient: a.call.FromClient}
		tx.store.Route(connection, key.Route(), strings.Clone(env.Session))
	case a.reply != nil && env.Session == "":
		keys, n := replyKeys(env, env.Direction, a.reply.ID)
		for _, key := range keys[:n] {
			if session, ok := connection.Redirects[key.Route()]; ok {
				tx.store.Route(connection, key.Route(), "")
				env.Session = session
				break
			}
		}
	}
	return connection, nil
}

// replyKeys are the keys of the calls that something sent in that direction may
// refer to by id; one of unknown direction means the client's call first.
func replyKeys(env *event.Envelope, direction event.Direction, id event.JSON) (keys [2]store.CallKey, n int) {
	if direction != event.FromClient {
		keys[n] = store.CallKey{Connection: env.Scope(), ID: string(id), FromClient: true}
		n++
	}
	if direction != event.FromServer {
		keys[n] = store.CallKey{Connection: env.Scope(), ID: string(id), FromClient: false}
		n++
	}
	return keys, n
}

// carriedMax bounds the sessions that end with their connection.
const carriedMax = 256

// carry notes that the session's messages come over the connection. Of too many the
// oldest is forgotten.
func carry(connection *store.Session, session string) {
	if session == "" || slices.Contains(connection.Carried, session) {
		return
	}
	rest := connection.Carried[max(0, len(connection.Carried)+1-carriedMax):]
	connection.Carried = append(slices.Clip(rest), strings.Clone(session))
}

// carrySession notes that of a session of ACP, and forgets those that have ended, with
// the requests in them that were never answered.
func (tx *arrivals) carrySession(connection *store.Session, session string) {
	if session == "" || slices.Contains(connection.Carried, session) {
		return
	}
	ended := map[string]bool{}
	for _, other := range connection.Carried {
		if !tx.store.IsOpen(other) {
			ended[other] = true
		}
	}
	if len(ended) > 0 {
		connection.Carried = slices.DeleteFunc(slices.Clone(connection.Carried), func(s string) bool { return ended[s] })
		for key, of := range maps.Clone(connection.Redirects) {
			if ended[of] {
				tx.store.Route(connection, key, "")
			}
		}
	}
	carry(connection, session)
}

// inherit takes over what was said on the connection before.
func inherit(s, connection *store.Session) {
	if connection == nil || connection == s || s.PeerInfo().Client.Name != "" || s.PeerInfo().Server.Name != "" {
		return
	}
	s.Info = connection.Info
	s.Client, s.Server = cmp.Or(s.Client, connection.Client), cmp.Or(s.Server, connection.Server)
	s.Declared = connection.Declared
}

// sessionCreated opens the session that an ACP agent's reply to session/new names.
func (tx *arrivals) sessionCreated(ctx context.Context, env *event.Envelope, e *event.CallEnded, connection *store.Session) error {
	if connection == nil || env.Session != "" || e.Session == "" || len(e.Session) > idBytes {
		return nil
	}
	env.Session = e.Session
	tx.carrySession(connection, e.Session)
	s, err := tx.sessions.enter(ctx, env, opens)
	if err != nil {
		return err
	}
	s.ACP = true
	inherit(s, connection)
	tx.sessions.announce(s)
	return nil
}
