package session

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// together limits the distance between the starts of tools that an agent calls at the
// same time.
const together = int64(2 * time.Second)

// doubtEarlier notes that calls which began before what now begins may have ended
// unseen: agents call tools together, or one after another. Such a call is not
// stuck; it ends with its turn at the latest. Only of agents whose hooks lack ends.
func (tx *agentTools) doubtEarlier(s *store.Session, now *store.Call) {
	if !tx.traits(now.Client).HooksLackEnd || s.OpenCalls() > store.NestedMax {
		return
	}
	for _, c := range s.CallsInOrder() {
		if c != now && c.Source == event.Hook && c.SubAgent == now.SubAgent && !c.Uncertain && !c.Over() && now.Start-c.Start > together {
			tx.store.Doubt(c)
		}
	}
}
