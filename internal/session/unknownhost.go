package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// lose reports that nothing is heard of a host whose heartbeats are calls of a
// tool, since alive. Its model calls the tool when it sees fit, and few hosts say
// that they go: the silence does not mean that it is stuck. It counts as idle.
func (tx *stalls) lose(s *store.Session, alive int64) {
	since := s.MessageTime(alive)
	silent := int64(tx.opt.StalledAfter)
	tx.phases.enter(s, since+silent, mcpconv.PhaseIdle)
	tx.watch(s, Watch{Name: mcpconv.SpanHostUnknown, Session: &s.SessionRecord, Silent: silent}, since)
}
