package session

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Bounds of the names and versions that peers give themselves, in bytes.
const (
	peerBytes     = 256
	protocolBytes = 64
)

// learn keeps what the envelope says about the session.
func learn(s *store.Session, env *event.Envelope) {
	if env.Part {
		learnPart(s, env, nil)
		return
	}
	s.ACP = s.ACP || env.ACP
	if env.MCPSession != "" && s.MCPSession != env.MCPSession {
		s.MCPSession = strings.Clone(env.MCPSession)
	}
	setText(&s.Client, env.Client)
	setText(&s.Server, env.Server)
}

// learnPeers keeps what the sender of a message says of itself.
func learnPeers(s *store.Session, env *event.Envelope, hello *event.Hello) {
	if env.Part {
		learnPart(s, env, hello)
		return
	}
	learn(s, env)
	if env.Host != "" && env.Host != s.ID && env.Host != s.HostID {
		s.HostID = strings.Clone(env.Host) // whole, for it is the name of a session
	}
	if hello == nil {
		return
	}
	info := *s.PeerInfo()
	setPeer(&info.Client, &hello.Client)
	setPeer(&info.Server, &hello.Server)
	if text := jsonscan.Cut(hello.Protocol, protocolBytes); text != "" && text != info.Protocol {
		info.Protocol = strings.Clone(text)
	}
	if info != *s.PeerInfo() {
		kept := info
		s.Info = &kept
	}
	learnDeclared(s, hello)
}

// learnPart keeps what a server's messages say of the agent whose session it is part
// of, until the agent speaks for itself. The session is of several servers, and has
// the name of none.
func learnPart(s *store.Session, env *event.Envelope, hello *event.Hello) {
	if s.Agent != nil {
		return
	}
	setText(&s.Client, env.Client)
	if hello == nil || hello.Client == (event.Peer{}) {
		return
	}
	info := *s.PeerInfo()
	setPeer(&info.Client, &hello.Client)
	if info != *s.PeerInfo() {
		s.Info = &info
	}
}

func setPeer(p *store.Peer, said *event.Peer) {
	setText(&p.Name, said.Name)
	setText(&p.Version, said.Version)
}

// learnDeclared keeps what client and server declare.
func learnDeclared(s *store.Session, hello *event.Hello) {
	if d := hello.ServerDeclares; d != nil {
		s.Reminders = store.KnownIf(d.Reminders)
		if !s.ACP {
			s.Logs = store.KnownIf(d.Logging)
		}
	}
	if d := hello.ClientDeclares; d != nil && s.ACP {
		s.Logs, s.LogLevel = store.KnownIf(d.Logging), mcpconv.Levels[d.LogLevel]
	}
	if level := mcpconv.Levels[hello.LogLevel]; level > 0 {
		s.LogLevel = level
	}
}

// setText keeps a copy of text, unless it is empty or known.
func setText(to *string, text string) {
	if text = jsonscan.Cut(text, peerBytes); text != "" && *to != text {
		*to = strings.Clone(text)
	}
}

// intern is a string of our own with that text: one that the session keeps anyway,
// if there is one.
func intern(s *store.Session, text string) string {
	info := s.PeerInfo()
	for _, kept := range []string{s.ID, s.Client, s.Server, info.Client.Name, info.Server.Name} {
		if kept == text {
			return kept
		}
	}
	return strings.Clone(text)
}

// senderOf names who sent a message in the given direction, "" if unknown. Peers of
// ACP have a name in any case.
func senderOf(s *store.Session, env *event.Envelope, fromClient bool) string {
	client, server := s.Names()
	if s.ACP {
		client, server = cmp.Or(client, mcpconv.ACPClient), cmp.Or(server, mcpconv.ACPAgent)
	}
	if fromClient {
		return cmp.Or(env.Client, client)
	}
	return cmp.Or(env.Server, server)
}

// internTransport spares the copies of the usual names.
func internTransport(name string) string {
	for _, known := range []string{"", "stdio", "http", "sse", "websocket", "streamable_http"} {
		if name == known {
			return known
		}
	}
	return strings.Clone(jsonscan.Cut(name, peerBytes))
}

// internVersion spares the copy of the only value that is valid.
func internVersion(v string) string {
	if v == "2.0" {
		return "2.0"
	}
	return strings.Clone(jsonscan.Cut(v, protocolBytes))
}

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
