package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whole pairs of a call and its reply are safe as soon as they are acknowledged,
// and so is the end of their sessions.
func TestKilledPairs(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	s := newSenders(v.mcp)
	v.suffer(t, s.load(1, false), s.load(2, false), s.load(3, false))
	v.await(t, "tool.call", "mcp.tool.name", s.acknowledged)
	v.await(t, "workflow.run", "session.id", s.sessions)
	t.Logf("%d requests were sent again", s.refused)
	v.Terminate(t)
}

// With storage_sync, a call waits for its reply through any number of crashes.
func TestKilledBetweenCallAndReply(t *testing.T) {
	t.Parallel()
	v := newVictim(t, "receivers: {mcp: {storage_sync: true}}")
	s := newSenders(v.mcp)
	v.suffer(t, s.load(1, true), s.load(2, true), s.load(3, true))
	for tool, byID := range v.await(t, "tool.call", "mcp.tool.name", s.acknowledged) {
		for _, spans := range byID {
			for _, span := range spans {
				_, incomplete := span.Attributes().Get("mcp.span.incomplete")
				assert.False(t, incomplete, "%s lost its reply", tool)
			}
		}
	}
	v.await(t, "workflow.run", "session.id", s.sessions)
	t.Logf("%d requests were sent again, %d orphan replies", s.refused, len(v.arrived("rpc.orphan_reply", "session.id")))
	v.Terminate(t)
}
