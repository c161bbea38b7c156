package session

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

func TestWaitOfACallCountsOnce(t *testing.T) {
	tx, s, sink := begun(t)
	c := tx.store.NewCall(s)
	c.Start = second
	tx.store.Open(s, c)
	tx.rules.waits.startOfCall(s, c, &store.Wait{Name: "input", Start: second})
	tx.rules.waits.endOfCall(s, c, 3*second, "accept", false)
	tx.rules.waits.endOfCall(s, c, 4*second, "accept", false)
	assert.Equal(t, []string{"wait started input", "wait ended input"}, sink.names)
	assert.Equal(t, 2*second, s.Summary.WaitingNs)
}
