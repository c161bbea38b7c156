package layers

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Message is the open message of the agent's call of whose silence would be told, nil if
// there is none.
func Message(s *store.Session, own *store.Call) *store.Call {
	if len(s.Calls) > store.NestedMax {
		return nil
	}
	for _, c := range s.Calls {
		if c.Kind != event.ToolCall || c.OfAgent() || c.Dropped || c.Uncertain || c.Kept() || c.LongRunning() {
			continue
		}
		if c.Use != "" && ownKey(s, c) == agentKey(own) || c.Use == "" && sends(own, c) {
			return c
		}
	}
	return nil
}

// agentKey returns the key by which a message finds the agent's call.
func agentKey(own *store.Call) store.CallKey {
	key := own.OpenKey()
	if own.Use != "" { // the id that another source gave it
		key.ID = own.Use
	}
	return key
}
