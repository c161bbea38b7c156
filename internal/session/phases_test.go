package session

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// A phase ends when another begins; one that the specification does not name is none.
func TestEnterPhase(t *testing.T) {
	tx, s, sink := begun(t)
	p := &tx.rules.phases
	p.enter(s, second, mcpconv.PhaseApproval)
	p.enter(s, 2*second, mcpconv.PhaseApproval)
	p.enter(s, 3*second, "dreaming")
	p.enter(s, 4*second, mcpconv.PhaseWorking)
	assert.Equal(t, []string{
		"phase started waiting_approval", "phase ended waiting_approval", "phase started working",
	}, sink.names)
	assert.Equal(t, 3*second, s.Summary.WaitingNs)
}

func TestKeepTask(t *testing.T) {
	tx, s, _ := begun(t)
	held := s.Held
	tx.rules.phases.keepTask(s, "a task that is longer than the limit")
	assert.Equal(t, "a task that is longe", s.Task)
	assert.EqualValues(t, len(s.Task), s.Held-held)
	tx.rules.phases.keepTask(s, "")
	assert.NotEmpty(t, s.Task)
}
