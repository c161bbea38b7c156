package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A record's names come first, then those that the session's records had, then what
// the peers call themselves. Peers of ACP have a name in any case.
func TestSenderOf(t *testing.T) {
	s := &store.Session{}
	assert.Empty(t, senderOf(s, &event.Envelope{}, true))
	s.ACP = true
	assert.Equal(t, mcpconv.ACPClient, senderOf(s, &event.Envelope{}, true))
	assert.Equal(t, mcpconv.ACPAgent, senderOf(s, &event.Envelope{}, false))
	learnPeers(s, &event.Envelope{}, &event.Hello{Client: event.Peer{Name: "own"}})
	assert.Equal(t, "own", senderOf(s, &event.Envelope{}, true))
	s.Client = "kept"
	assert.Equal(t, "kept", senderOf(s, &event.Envelope{}, true))
	assert.Equal(t, "record", senderOf(s, &event.Envelope{Client: "record"}, true))
}

// A server's messages in an agent's session name the agent until it speaks for itself.
func TestLearnPart(t *testing.T) {
	s := &store.Session{}
	env := &event.Envelope{Part: true, Client: "agent", Server: "server"}
	learnPeers(s, env, &event.Hello{Client: event.Peer{Name: "a"}, Server: event.Peer{Name: "b"}})
	assert.Equal(t, "agent", s.Client)
	assert.Equal(t, "a", s.PeerInfo().Client.Name)
	assert.Empty(t, s.Server)
	assert.Empty(t, s.PeerInfo().Server.Name)
	s.Agent = &store.CodingAgent{}
	env.Client = "other"
	learnPeers(s, env, nil)
	assert.Equal(t, "agent", s.Client)
}

func TestSetText(t *testing.T) {
	text := "kept"
	setText(&text, "")
	assert.Equal(t, "kept", text)
	setText(&text, strings.Repeat("x", 2*peerBytes))
	assert.Len(t, text, peerBytes)
}
