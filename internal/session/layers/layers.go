// Package layers finds out whether the call of a tool that an agent reports of itself and
// one that was seen on the wire are the same: two layers of one fact. They are one by the
// id that the agent gave its call, else because the message names the agent's span as its
// parent.
package layers

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Agent is the open call of the agent of which c is the message, nil if there is none.
func Agent(s *store.Session, c *store.Call) *store.Call {
	switch {
	case c.Kind != event.ToolCall || c.OfAgent():
		return nil
	case c.Use != "":
		if own := s.Calls[ownKey(s, c)]; own != nil && own.OfAgent() {
			return own
		}
		return nil
	case s.Agent == nil || !c.Context.Valid() || len(s.Calls) > store.NestedMax:
		return nil
	}
	for _, own := range s.Calls {
		if own.OfAgent() && sends(own, c) {
			return own
		}
	}
	return nil
}

// sends reports whether the message names the agent's call as its parent, and is of the
// same tool: one that calls others is another fact than those.
func sends(own, c *store.Call) bool {
	return own.Kind == event.ToolCall && c.Context.Valid() && c.Context.Span == own.Span && c.Context.Trace == own.Trace &&
		sameTool(own.ToolName(), c.Target)
}

// separators are what agents set between a prefix and the name of a tool.
const separators = "_-./:"

// sameTool reports whether both are names of one tool: an agent may set a prefix before it.
func sameTool(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	before, ok := strings.CutSuffix(a, b)
	return ok && (before == "" || strings.ContainsRune(separators, rune(before[len(before)-1])))
}

// ownKey finds the agent's own call whose message the call is.
func ownKey(s *store.Session, c *store.Call) store.CallKey {
	return store.CallKey{Connection: s.ID, ID: c.Use, FromClient: true}
}

// FactHash is what a fact of that kind, with that id, is remembered by.
func FactHash(kind event.CallKind, id string) uint64 { return xxhash.Sum64String(id) + uint64(kind) }

// Hash is a hash of the key.
func Hash(k store.CallKey) uint64 {
	var d xxhash.Digest
	d.Reset()
	if k.FromClient {
		_, _ = d.WriteString("\x01")
	}
	_, _ = d.WriteString(k.Connection)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(k.ID)
	return d.Sum64()
}
